import { assignTexts } from '@media-search/indexing/assign-texts';
import type { TextLine } from '@media-search/indexing/indexed-media';
import type { ExtractedSegment } from '@media-search/media/extracted-text';
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { SegmentSource } from '../../../contract/texts.ts';
import { columnNames } from '../dialect/column-names.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { removeNull } from '../remove-null.ts';
import type { Catalog, Database } from '../schema.ts';

/**
 * What is said and written in items: segments with a source and a time. Those of the sources `subtitle` and `chapter` come with the chunks and
 * are replaced with them; those of `ocr` and `speech` come from jobs of their own (`text-extractions.ts`) and stay when an item is indexed again.
 *
 * A chunk is found by the segments that are linked to it. What is linked is in the search index: recognised segments are linked once all of
 * an item is read, so that an index is brought up to date once.
 */

type Owner = { workspace_id: string; id: string };

export type SegmentRow = Selectable<Database['text_segments']>;

/** Recognised texts of one source of an item. A day of somebody who never stops speaking has a third of that. */
const maxSegments = 100_000;
/** A longer text is cut, characters. Nobody shows or says so much at once. */
const maxSegmentLength = 10_000;

/** Replaces the subtitles and chapter titles of an item. */
export async function replaceLines(db: Catalog, item: Owner, lines: TextLine[]): Promise<void> {
  await deleteSegments(db, item, ['subtitle', 'chapter']);
  await insertSegments(
    db,
    item,
    lines.map((line) => ({ ...line, box: null, confidence: null })),
  );
}

/** The texts of items, and those that wait to replace them. */
type SegmentTable = 'text_segments' | 'text_drafts';

/** Adds recognised texts to an item, as far as there is room. They are found once they are linked. */
export async function addSegments(
  db: Catalog,
  item: Owner,
  source: SegmentSource,
  segments: ExtractedSegment[],
  table: SegmentTable = 'text_segments',
): Promise<void> {
  if (segments.length === 0) return;
  const { count } = await db
    .selectFrom(table)
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', item.workspace_id)
    .where('media_id', '=', item.id)
    .where('source', '=', source)
    .executeTakeFirstOrThrow();
  const added = segments.slice(0, Math.max(0, maxSegments - count));
  await insertSegments(
    db,
    item,
    added.map((segment) => ({ ...segment, source, track: null })),
    table,
  );
}

const insertedColumns = {
  workspace_id: 'text',
  media_id: 'text',
  source: 'text',
  track: 'integer',
  language: 'text',
  start_time: 'real',
  end_time: 'real',
  text: 'text',
  box: 'text',
  confidence: 'real',
} as const;

const insertedNames = columnNames(insertedColumns);

/** One statement for all: some films have tens of thousands of lines. */
async function insertSegments(
  db: Catalog,
  { workspace_id, id }: Owner,
  segments: (ExtractedSegment & { source: SegmentSource; track: number | null })[],
  table: SegmentTable = 'text_segments',
): Promise<void> {
  if (segments.length === 0) return;
  const rows = segments.map(({ start, end, text, box, language, ...columns }) => ({
    workspace_id,
    media_id: id,
    start_time: start,
    end_time: end,
    // A pair of letters that stands for one may have been cut in half.
    text: removeNull(text.slice(0, maxSegmentLength).toWellFormed()),
    language: removeNull(language),
    box: box && JSON.stringify(box),
    ...columns,
  }));
  await sql`insert into ${sql.table(table)} (${insertedNames}) ${dialectOf(db).rowsIn(insertedColumns, rows)}`.execute(
    db,
  );
}

/** Puts the drafts of one source of an item in the place of its texts. */
export async function publishDrafts(db: Catalog, item: Owner, source: SegmentSource): Promise<void> {
  await deleteSegments(db, item, [source]);
  await sql`insert into text_segments (${insertedNames}) select ${insertedNames} from text_drafts
    where workspace_id = ${item.workspace_id} and media_id = ${item.id} and source = ${source} order by number`.execute(
    db,
  );
  await deleteSegments(db, item, [source], 'text_drafts');
}

/** Deletes the texts of some sources of an item, with their links, or its drafts. */
export async function deleteSegments(
  db: Catalog,
  { workspace_id, id }: Owner,
  sources: readonly SegmentSource[],
  table: SegmentTable = 'text_segments',
): Promise<void> {
  await db
    .deleteFrom(table)
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .where('source', 'in', sources)
    .execute();
}

/** The texts of one source of an item. */
const segmentsOf = (db: Catalog, { workspace_id, id }: Owner, source: SegmentSource) =>
  db
    .selectFrom('text_segments')
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .where('source', '=', source);

/** By so much a text may reach into another shot, seconds: a few frames, as the times of files are rounded and people set them by eye and ear. */
const timeUncertainty = 0.1;
/** Between two looks at the picture of a video, seconds. */
const lookSeconds = 0.5;

/**
 * When a line on the screen was surely to be seen: it ends with the first look that does not show it, and a cut may come before that.
 * @param end of the last chunk, up to which lines are seen that no look misses
 */
const surelyShown = <Line extends { start: number; end: number }>(line: Line, end: number): Line => ({
  ...line,
  end: line.end > end - timeUncertainty ? line.end : Math.max(line.start + 0.001, line.end - lookSeconds),
});

/** A chunk that texts are linked to, with its times. */
export type LinkedChunk = { number: number; start: number; end: number };

/**
 * Links the texts of some sources of an item to its chunks, so that these are found by them. Links that exist stay.
 * @param chunks all of the item in their order, where the caller has just stored them: none is linked yet
 */
export async function linkSegments(
  db: Catalog,
  item: Owner,
  sources: readonly SegmentSource[],
  chunks?: readonly LinkedChunk[],
): Promise<void> {
  const lines = await db
    .selectFrom('text_segments')
    .select(['source', 'number', 'start_time as start', 'end_time as end', 'text'])
    .where('workspace_id', '=', item.workspace_id)
    .where('media_id', '=', item.id)
    .where('source', 'in', sources)
    .orderBy('start_time')
    .orderBy('number')
    .execute();
  if (lines.length === 0) return;
  const spans = chunks ?? (await readSpans(db, item));
  const links = sources.flatMap((source) =>
    linksOf(
      source,
      lines.filter((line) => line.source === source),
      spans,
    ),
  );
  if (links.length === 0) return;
  const rows = links.map((link) => ({ workspace_id: item.workspace_id, ...link }));
  await sql`insert into chunk_segments (workspace_id, chunk_number, segment_number)
    ${dialectOf(db).rowsIn({ workspace_id: 'text', chunk: 'integer', segment: 'integer' }, rows)}
    ${chunks ? sql`` : sql`on conflict do nothing`}`.execute(db);
}

const readSpans = (db: Catalog, item: Owner): Promise<LinkedChunk[]> =>
  db
    .selectFrom('chunks')
    .select(['number', 'start_time as start', 'end_time as end'])
    .where('workspace_id', '=', item.workspace_id)
    .where('media_id', '=', item.id)
    .orderBy('position')
    .execute();

/** Which lines of one source each chunk is found by. */
function linksOf(
  source: SegmentSource,
  lines: (Pick<SegmentRow, 'number' | 'text'> & { start: number; end: number })[],
  chunks: readonly LinkedChunk[],
): { chunk: number | null; segment: number | null }[] {
  const end = chunks.at(-1)?.end ?? 0;
  const spans = source === 'ocr' ? lines.map((line) => surelyShown(line, end)) : lines;
  return assignTexts(spans, [...chunks], timeUncertainty).flatMap((places, i) =>
    places.map((place) => ({ chunk: chunks[i]?.number ?? null, segment: lines[place]?.number ?? null })),
  );
}

/** Whether anything of one source is stored of an item. */
export async function hasSegments(db: Catalog, item: Owner, source: SegmentSource): Promise<boolean> {
  const row = await segmentsOf(db, item, source).select('number').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The language of most of one source of an item, by time; null: unknown. */
export async function findMainLanguage(db: Catalog, item: Owner, source: SegmentSource): Promise<string | null> {
  const row = await segmentsOf(db, item, source)
    .select('language')
    .where('language', 'is not', null)
    .groupBy('language')
    .orderBy(sql`sum(end_time - start_time)`, 'desc')
    .executeTakeFirst();
  return row?.language ?? null;
}

/** How many lines each subtitle track of an item has, by the index of its stream; null: lines of a version that did not store it. */
export async function countSubtitleLines(db: Catalog, item: Owner): Promise<Map<number | null, number>> {
  const rows = await segmentsOf(db, item, 'subtitle')
    .select((e) => ['track', e.fn.countAll<number>().as('lines')])
    .groupBy('track')
    .execute();
  return new Map(rows.map(({ track, lines }) => [track, lines]));
}

/**
 * Texts in order of time. What leads to them is found in an index alone, and only they are read: the rows before a page are not.
 * @param place selects them
 */
export async function readPlaces(
  db: Catalog,
  workspaceId: string,
  place: SelectQueryBuilder<Database, 'text_segments', object>,
): Promise<SegmentRow[]> {
  const found = await place.select('number').execute();
  const { withoutIndex, numbersIn } = dialectOf(db);
  return db
    .selectFrom('text_segments')
    .selectAll()
    .where(withoutIndex('workspace_id'), '=', workspaceId)
    .where('number', 'in', numbersIn(found.map(({ number }) => number)))
    .orderBy('start_time')
    .orderBy('number')
    .execute();
}

/** One page of an item's texts in order of time, and how many there are on all pages. */
export async function listSegments(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
  { source, page, per_page }: { source?: SegmentSource | undefined; page: number; per_page: number },
): Promise<{ rows: SegmentRow[]; total: number }> {
  let matching = db.selectFrom('text_segments').where('workspace_id', '=', workspaceId).where('media_id', '=', mediaId);
  if (source) matching = matching.where('source', '=', source);
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const place = matching
    .orderBy('start_time')
    .orderBy('number')
    .limit(per_page)
    .offset((page - 1) * per_page);
  return { rows: await readPlaces(db, workspaceId, place), total };
}

/** A text by which a chunk is found. */
export type ChunkSegment = Pick<
  SegmentRow,
  'source' | 'track' | 'language' | 'start_time' | 'end_time' | 'text' | 'box' | 'confidence'
>;

/** The texts of chunks by their numbers, each in order of time. Each search reads its hits by it. */
export async function readChunkSegments(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
): Promise<Map<number, ChunkSegment[]>> {
  const { orderedJoin, withoutIndex, anyValue, numbersIn } = dialectOf(db);
  const { rows } = await sql<ChunkSegment & { chunk_number: number }>`
    select links.chunk_number, segments.source, segments.track, segments.language, segments.start_time, segments.end_time,
      segments.text, segments.box, segments.confidence
    from chunk_segments links ${orderedJoin} text_segments segments
      on ${withoutIndex('segments.workspace_id')} = links.workspace_id and segments.number = links.segment_number
    where links.workspace_id = ${anyValue(workspaceId)} and links.chunk_number in ${numbersIn(numbers)}
    order by segments.start_time, segments.number
  `.execute(db);
  const segments = new Map(numbers.map((number) => [number, [] as ChunkSegment[]]));
  for (const { chunk_number, source, track, language, start_time, end_time, text, box, confidence } of rows) {
    segments.get(chunk_number)?.push({ source, track, language, start_time, end_time, text, box, confidence });
  }
  return segments;
}

/** The texts of a chunk as one, a line each; the same text from two sources once. */
export const joinTexts = (segments: Pick<SegmentRow, 'text'>[]): string =>
  [...new Set(segments.map(({ text }) => text))].join('\n');
