import { languageName } from '../language-name.ts';

/** What captions are of. `track`: index of a subtitle stream, null for speech. `language`: BCP 47, null where it is not known. */
export type CaptionSource = { source: 'subtitle' | 'speech'; track: number | null; language: string | null };

function nameOf({ source, language }: CaptionSource): string {
  if (source === 'subtitle') return language === null ? 'Subtitles' : languageName(language);
  return language === null ? 'Recognised speech' : `${languageName(language)} (recognised)`;
}

/** Texts for tracks in their order; where several have one text, the second and those after it get their number. */
function numbered(texts: readonly string[], separator: string): string[] {
  const counts = new Map<string, number>();
  return texts.map((text) => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count === 1 ? text : `${text}${separator}${count}`;
  });
}

/** What the tracks of a video are called. */
export const nameTracks = (tracks: readonly CaptionSource[]): string[] => numbered(tracks.map(nameOf), ' ');

const keyOf = ({ source, language }: CaptionSource): string => `${source}:${language ?? ''}`;

/** How the tracks of a video are remembered, so that such a one is chosen in another video too. */
export const trackKeys = (tracks: readonly CaptionSource[]): string[] => numbered(tracks.map(keyOf), ':');

/** The track that is most like a remembered one: of its source and language, or else the first. */
export function preferredTrack<Track extends CaptionSource>(
  tracks: readonly Track[],
  key: string | null,
): Track | undefined {
  const exact = tracks[trackKeys(tracks).indexOf(key ?? '')];
  return exact ?? tracks.find((track) => key?.startsWith(`${keyOf(track)}:`)) ?? tracks[0];
}
