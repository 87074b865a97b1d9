import type { ExtractedSegment, TextBox } from '@media-search/media/extracted-text';
import type { Catalog } from '../schema.ts';
import type { ExtractionSource } from '../tables/texts.ts';

/** A text and its place in the picture. */
type Placed = { text: string; box: TextBox };

/**
 * Finds for each text that was read the stored text that it continues, each once.
 * @returns the index of the stored text, or null
 */
export type FindContinued = (read: Placed[], stored: Placed[]) => (number | null)[];

/** Where a reading was cut. */
export type Seam = {
  /** Up to where all is stored, seconds. */
  position: number;
  findContinued: FindContinued;
};

type Item = { workspace_id: string; id: string };
type PlacedSegment = ExtractedSegment & { box: TextBox };

/** Segments that end and begin so close to a seam meet there, seconds: times are stored in milliseconds. */
const tolerance = 0.002;
/** What is shown for longer stays in pieces, seconds: a hit plays from where its text begins. */
const maxSeconds = 60;

/**
 * Text that is on the screen where a reading was cut comes in two pieces: one that ends there, and one that begins there. Stored pieces are
 * extended by those that continue them; the surer text counts.
 * @param table which holds what this reading stored
 * @returns the segments that continue none
 */
export async function continueSegments(
  db: Catalog,
  item: Item,
  source: ExtractionSource,
  table: 'text_segments' | 'text_drafts',
  segments: ExtractedSegment[],
  { position, findContinued }: Seam,
): Promise<ExtractedSegment[]> {
  const begun = segments.filter((segment): segment is PlacedSegment => {
    return segment.box !== null && segment.start <= position + tolerance;
  });
  if (position === 0 || begun.length === 0) return segments;
  const rows = await db
    .selectFrom(table)
    .select(['number', 'start_time', 'end_time', 'text', 'box', 'confidence'])
    .where('workspace_id', '=', item.workspace_id)
    .where('media_id', '=', item.id)
    .where('source', '=', source)
    .where('start_time', '>', position - maxSeconds)
    .where('end_time', '>=', position - tolerance)
    .where('box', 'is not', null)
    .execute();
  const stored = rows.map((row) => ({ ...row, box: JSON.parse(row.box ?? '') as TextBox }));
  const continued = new Set<ExtractedSegment>();
  for (const [i, match] of findContinued(begun, stored).entries()) {
    const [segment, before] = [begun[i], stored[match ?? -1]];
    if (!segment || !before || segment.end - before.start_time > maxSeconds) continue;
    // It was not cut, so its rest can only have been read a second time, at its place: elsewhere it is another of the same words.
    if (before.end_time > position + tolerance && !intersects(before.box, segment.box)) continue;
    const end_time = Math.max(before.end_time, segment.end);
    const isSurer = (segment.confidence ?? 0) > (before.confidence ?? 0);
    await db
      .updateTable(table)
      .set({ end_time, ...(isSurer ? { text: segment.text, confidence: segment.confidence } : {}) })
      .where('number', '=', before.number)
      .execute();
    continued.add(segment);
  }
  return segments.filter((segment) => !continued.has(segment));
}

const intersects = (a: TextBox, b: TextBox): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
