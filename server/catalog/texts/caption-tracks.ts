import type { CaptionTrack } from '../../../contract/captions.ts';
import type { Catalog } from '../schema.ts';
import { readPlaces, type SegmentRow } from './text-segments.ts';

/** A line of captions with its number, which orders those that begin together. */
export type CaptionLine = Pick<SegmentRow, 'number' | 'source' | 'start_time' | 'end_time' | 'text' | 'confidence'>;

const captionsOf = (db: Catalog, workspaceId: string, mediaId: string) =>
  db
    .selectFrom('text_segments')
    .where('workspace_id', '=', workspaceId)
    .where('media_id', '=', mediaId)
    .where('source', 'in', ['subtitle', 'speech']);

/**
 * What captions an item has: subtitles of the file before speech. Tracks with less than half as many lines as another, which translate only
 * what is foreign in the video, come after the others; the rest is in the order of the file.
 */
export async function listCaptionTracks(db: Catalog, workspaceId: string, mediaId: string): Promise<CaptionTrack[]> {
  const rows = await captionsOf(db, workspaceId, mediaId)
    .select((e) => ['source', 'track', 'language', e.fn.countAll<number>().as('lines')])
    .groupBy(['source', 'track', 'language'])
    .execute();
  const tracks = Map.groupBy(rows, ({ source, track }) => `${source} ${track}`);
  const joined = [...tracks.values()].map((parts): CaptionTrack => {
    // What is spoken may change its language: that of most lines is named.
    const [main] = parts.toSorted((a, b) => b.lines - a.lines);
    const lines = parts.reduce((sum, part) => sum + part.lines, 0);
    const source = main?.source === 'speech' ? 'speech' : 'subtitle';
    return { source, track: main?.track ?? null, language: main?.language ?? null, lines };
  });
  const most = Math.max(0, ...joined.filter(({ source }) => source === 'subtitle').map(({ lines }) => lines));
  const rank = ({ source, lines }: CaptionTrack) => (source === 'speech' ? 2 : lines * 2 < most ? 1 : 0);
  return joined.toSorted((a, b) => rank(a) - rank(b) || (a.track ?? 0) - (b.track ?? 0));
}

/** The lines of a track in order of time, so many after one of them (null: from the first on). */
export const readCaptionLines = (
  db: Catalog,
  workspaceId: string,
  mediaId: string,
  { source, track }: Pick<CaptionTrack, 'source' | 'track'>,
  after: CaptionLine | null,
  limit: number,
): Promise<CaptionLine[]> =>
  readPlaces(
    db,
    workspaceId,
    captionsOf(db, workspaceId, mediaId)
      .where('source', '=', source)
      .where('track', 'is not distinct from', track)
      .$if(after !== null, (query) =>
        query.where((e) =>
          e(e.refTuple('start_time', 'number'), '>', e.tuple(after?.start_time ?? 0, after?.number ?? 0)),
        ),
      )
      .orderBy('start_time')
      .orderBy('number')
      .limit(limit),
  );
