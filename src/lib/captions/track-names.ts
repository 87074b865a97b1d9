import { languageName } from '../language-name.ts';

/** What captions are of. `track`: index of a subtitle stream, null for speech. `language`: BCP 47, null where it is not known. */
export type CaptionSource = { source: 'subtitle' | 'speech'; track: number | null; language: string | null };

function nameOf({ source, language }: CaptionSource): string {
  if (source === 'subtitle') return language === null ? 'Subtitles' : languageName(language);
  return language === null ? 'Recognised speech' : `${languageName(language)} (recognised)`;
}

/** What tracks are called, in their order; those of one name are numbered. */
export function nameTracks(tracks: readonly CaptionSource[]): string[] {
  const counts = new Map<string, number>();
  return tracks.map((track) => {
    const name = nameOf(track);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

/** How a track is remembered, so that the same is chosen in another video. */
export const trackKey = ({ source, language }: CaptionSource): string => `${source}:${language ?? ''}`;
