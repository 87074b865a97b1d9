import { expect, test } from 'vitest';
import { type CaptionSource, nameTracks, preferredTrack, trackKeys } from './track-names.ts';

const subtitle = (track: number, language: string | null): CaptionSource => ({ source: 'subtitle', track, language });

test('tracks are named by language and source, and numbered where names are the same', () => {
  expect(
    nameTracks([
      subtitle(2, 'en'),
      subtitle(3, 'pt-BR'),
      subtitle(4, 'en'),
      subtitle(5, null),
      { source: 'speech', track: null, language: 'en' },
      { source: 'speech', track: null, language: null },
    ]),
  ).toEqual(['English', 'Brazilian Portuguese', 'English 2', 'Subtitles', 'English (recognised)', 'Recognised speech']);
});

test('a choice is found again in its video, and what is most like it in another', () => {
  const speech: CaptionSource = { source: 'speech', track: null, language: 'en' };
  const tracks = [subtitle(2, 'de'), subtitle(3, 'en'), subtitle(4, 'en'), speech];
  const keys = trackKeys(tracks);
  expect(keys.map((key) => preferredTrack(tracks, key))).toEqual(tracks);
  const [, , second = '', spoken = ''] = keys;
  expect(preferredTrack([subtitle(1, 'fr'), subtitle(5, 'en')], second)).toEqual(subtitle(5, 'en'));
  expect(preferredTrack([subtitle(1, 'en'), subtitle(5, 'fr')], spoken)).toEqual(subtitle(1, 'en'));
  expect(preferredTrack([subtitle(1, 'fr')], null)).toEqual(subtitle(1, 'fr'));
  expect(preferredTrack([], second)).toBeUndefined();
});
