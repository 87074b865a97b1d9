import { expect, test } from 'vitest';
import { type CaptionSource, nameTracks } from './track-names.ts';

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
