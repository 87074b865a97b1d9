import type { CaptionFormat } from '@media-search/media/captions/cue';
import type { CaptionsQuery, CaptionTrack } from '../../../contract/captions.ts';
import { isUncertain } from '../../../contract/texts.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { type CaptionLine, listCaptionTracks, readCaptionLines } from '../../catalog/texts/caption-tracks.ts';

type Item = { workspace_id: string; id: string };

/** The first track of an item that is what was asked for; undefined where there is none. */
export async function findCaptionTrack(
  db: Catalog,
  { workspace_id, id }: Item,
  { source, language, track }: Pick<CaptionsQuery, 'source' | 'language' | 'track'>,
): Promise<CaptionTrack | undefined> {
  const tracks = await listCaptionTracks(db, workspace_id, id);
  return tracks.find(
    (each) =>
      (source === undefined || each.source === source) &&
      (track === undefined || each.track === track) &&
      (language === undefined || isInRange(each.language, language)),
  );
}

/** Whether a language is in a range of languages: `pt-BR` is in `pt` (RFC 4647, 3.3.1). */
const isInRange = (language: string | null, range: string): boolean =>
  language !== null && `${language}-`.toLowerCase().startsWith(`${range}-`.toLowerCase());

/** So many lines are read and sent at a time. */
const linesAtOnce = 500;

/** Runs a piece of work when it is its turn among others. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * A track as a file, piece by piece.
 * @param name of the item's file
 * @param inTurn waits before each piece: all of them take the thread for long
 */
export async function* writeCaptions(
  db: Catalog,
  { workspace_id, id }: Item,
  track: CaptionTrack,
  format: CaptionFormat,
  name: string,
  inTurn: InTurn,
): AsyncGenerator<string, void> {
  const what = track.source === 'speech' ? 'Recognised speech' : 'Subtitles';
  yield format.head([`${what} of ${name}`, ...(track.language === null ? [] : [`Language: ${track.language}`])]);
  let number = 0;
  let last: CaptionLine | null = null;
  for (;;) {
    const first = number + 1;
    const after: CaptionLine | null = last;
    const { lines, piece } = await inTurn(async () => {
      const lines = await readCaptionLines(db, workspace_id, id, track, after, linesAtOnce);
      const cues = lines.map(({ start_time: start, end_time: end, text, ...line }, i) =>
        format.cue({ start, end, text, uncertain: isUncertain(line) }, first + i),
      );
      return { lines, piece: cues.join('') };
    });
    yield piece;
    number += lines.length;
    if (lines.length < linesAtOnce) return;
    last = lines.at(-1) ?? null;
  }
}
