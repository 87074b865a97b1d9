import type { ExtractedSegment, ExtractionEnd, ExtractionWarning } from '@media-search/media/extracted-text';
import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';
import type { ExtractionSource } from '../tables/texts.ts';
import { continueSegments, type Seam } from './continue-segments.ts';
import {
  addSegments,
  deleteSegments,
  findMainLanguage,
  hasSegments,
  linkSegments,
  publishDrafts,
} from './text-segments.ts';

/**
 * How far the recognition of text in items is: what is written (`ocr`) and what is said (`speech`). It goes on behind complete items, by
 * jobs of its own (`extraction-jobs.ts`).
 */

type Owner = { workspace_id: string; id: string };

export type ExtractionRow = Selectable<Database['text_extractions']>;

/** The sources that are recognised, in the order in which they are read. */
export const extractionSources = ['ocr', 'speech'] as const satisfies ExtractionSource[];

/** How far the recognition in one item is; without an entry: it was never asked for. */
type ExtractionsOfItem = Partial<Record<ExtractionSource, ExtractionRow>>;

/** How far the recognition in some items is, by item and source. */
export async function readExtractions(
  db: Catalog,
  workspaceId: string,
  mediaIds: string[],
): Promise<Map<string, ExtractionsOfItem>> {
  const rows = await db
    .selectFrom('text_extractions')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('media_id', 'in', dialectOf(db).textsIn(mediaIds))
    .execute();
  const found = new Map<string, ExtractionsOfItem>();
  for (const row of rows) found.set(row.media_id, { ...found.get(row.media_id), [row.source]: row });
  return found;
}

/** How many items of a workspace wait for the recognition of each source, or are being read. */
export async function countPendingExtractions(
  db: Catalog,
  workspaceId: string,
): Promise<Record<ExtractionSource, number>> {
  const rows = await db
    .selectFrom('text_extractions')
    .select(({ fn }) => ['source', fn.countAll<number>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', sql.lit('pending'))
    .groupBy('source')
    .execute();
  return { ocr: 0, speech: 0, ...Object.fromEntries(rows.map(({ source, count }) => [source, count])) };
}

/** Narrows a statement to the recognition of one source in an item. */
export const extractionOf = (db: Catalog, { workspace_id, id }: Owner, source: ExtractionSource) =>
  db
    .updateTable('text_extractions')
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .where('source', '=', source);

/**
 * Adds what was read of one source of an item: as drafts where it was read before, whose texts are found until this reading is complete.
 * @param seam where what is stored ends, and may go on; none where all comes at once
 */
export async function addReadSegments(
  db: Catalog,
  item: Owner,
  source: ExtractionSource,
  segments: ExtractedSegment[],
  seam?: Seam,
): Promise<void> {
  const table = (await isReadAgain(db, item, source)) ? 'text_drafts' : 'text_segments';
  const added = seam ? await continueSegments(db, item, source, table, segments, seam) : segments;
  await addSegments(db, item, source, added, table);
}

const findExtraction = (db: Catalog, item: Owner, source: ExtractionSource) =>
  db
    .selectFrom('text_extractions')
    .select(['state', 'again', 'model', 'draft_model'])
    .where('workspace_id', '=', item.workspace_id)
    .where('media_id', '=', item.id)
    .where('source', '=', source)
    .executeTakeFirst();

const isReadAgain = async (db: Catalog, item: Owner, source: ExtractionSource): Promise<boolean> =>
  (await findExtraction(db, item, source))?.again === 1;

/** Notes what reads one source of an item. */
export async function noteModel(db: Catalog, item: Owner, source: ExtractionSource, model: string): Promise<void> {
  const isAgain = await isReadAgain(db, item, source);
  await extractionOf(db, item, source)
    .set(isAgain ? { draft_model: model } : { model })
    .execute();
}

/**
 * Stores how the recognition of one source ended. From this commit on searches find what was read. The last attempt may have
 * read only the rest, so the language is that of most of what is stored, the model may be that of the attempt before, and `none` becomes
 * `complete` where anything is stored. What was read again takes the place of what was read before, unless it failed.
 * @returns whether the item has texts of the source now
 */
export async function settleExtraction(
  db: Catalog,
  item: Owner,
  source: ExtractionSource,
  { warning, ...end }: ExtractionEnd,
): Promise<boolean> {
  const isFailed = end.state === 'failed';
  const before = await findExtraction(db, item, source);
  const isAgain = before?.again === 1;
  if (isAgain) {
    await (isFailed ? deleteSegments(db, item, [source], 'text_drafts') : publishDrafts(db, item, source));
  }
  const isFound = end.state === 'none' && (await hasSegments(db, item, source));
  const language = (await findMainLanguage(db, item, source)) ?? end.language;
  await extractionOf(db, item, source)
    .set({
      ...end,
      model: end.model ?? (isAgain && !isFailed ? before.draft_model : before?.model) ?? null,
      draft_model: null,
      ...(isFound ? { state: 'complete', message: null } : {}),
      language,
      // The next start tries some failures again, and then it is still read again.
      ...(isFailed ? {} : { again: 0 }),
      updated_at: new Date().toISOString(),
    })
    .execute();
  await linkSegments(db, item, [source]);
  if (warning) await warnOf(db, item, warning);
  return end.state === 'complete' || isFound;
}

/** Notes what is wrong with the file of an item, unless it has another warning. */
export async function warnOf(db: Catalog, item: Owner, warning: ExtractionWarning): Promise<void> {
  await db
    .updateTable('media_items')
    .set({ warning_code: warning.code, warning_message: warning.message, updated_at: new Date().toISOString() })
    .where('workspace_id', '=', item.workspace_id)
    .where('id', '=', item.id)
    .where('warning_code', 'is', null)
    .execute();
}

/** The recognition in an item could not be done; what was read of it before is kept. */
export async function failExtraction(
  db: Catalog,
  item: Owner,
  source: ExtractionSource,
  message: string,
): Promise<void> {
  await settleExtraction(db, item, source, { state: 'failed', language: null, model: null, message, warning: null });
}

/**
 * The recognition of some sources in an item begins again, or for the first time. What a reading before found, to whatever end, stays until this one
 * is complete; what one found that was still under way is deleted.
 */
export async function resetExtractions(db: Catalog, item: Owner, sources: readonly ExtractionSource[]): Promise<void> {
  if (sources.length === 0) return;
  const before = (await readExtractions(db, item.workspace_id, [item.id])).get(item.id);
  const updated_at = new Date().toISOString();
  const rows = [];
  for (const source of sources) {
    const again = before?.[source] && (await clearReading(db, item, before[source])) ? 1 : 0;
    rows.push({ workspace_id: item.workspace_id, media_id: item.id, source, state: 'pending', again, updated_at });
  }
  await sql`
    insert into text_extractions (workspace_id, media_id, source, state, again, updated_at)
    ${dialectOf(db).rowsIn({ workspace_id: 'text', media_id: 'text', source: 'text', state: 'text', again: 'integer', updated_at: 'text' }, rows)}
    on conflict (workspace_id, media_id, source) do update set
      state = excluded.state, position = 0, again = excluded.again,
      language = null, model = case excluded.again when 1 then text_extractions.model end, draft_model = null, message = null, updated_at = excluded.updated_at
  `.execute(db);
}

/** Deletes what an unfinished reading found. @returns whether texts are left of one that ended */
async function clearReading(db: Catalog, item: Owner, before: ExtractionRow): Promise<boolean> {
  const { source } = before;
  if (before.state === 'pending' && before.again === 0) await deleteSegments(db, item, [source]);
  await deleteSegments(db, item, [source], 'text_drafts');
  return hasSegments(db, item, source);
}
