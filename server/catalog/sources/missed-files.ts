import { sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { filesOf, missingInTrash, missingScans, type SourceKey } from './source-files.ts';

const isMissed = (scan: number) => sql<boolean>`seen < ${scan}`;

const ownOf = ({ workspace_id, id }: SourceKey) => sql`workspace_id = ${workspace_id} and source_id = ${id}`;
const isBelow = (folder: string) =>
  folder === '' ? sql<boolean>`true` : sql<boolean>`(path >= ${`${folder}/`} and path < ${`${folder}0`})`;

/** Files with items that were not missed so often that they are in the trash. */
const knownOf = (db: Catalog, source: SourceKey) =>
  filesOf(db, source).where('media_id', 'is not', null).where('missing', '<', missingScans);

/**
 * Files that a scan did not see.
 * @param within only files in these folders and below them, none of which is below another; empty text: all
 */
export async function countMissed(db: Catalog, source: SourceKey, scan: number, within: string[]): Promise<number> {
  let missed = 0;
  // One range of the index each: of an expression of hundreds a database makes a scan of the table.
  for (const folder of within) {
    const { count } = await knownOf(db, source)
      .select((e) => e.fn.countAll<number>().as('count'))
      .where(isMissed(scan))
      .where(isBelow(folder))
      .executeTakeFirstOrThrow();
    missed += count;
  }
  return missed;
}

/** How many files with items a source has, those included that the last scan missed. */
export async function countKnown(db: Catalog, source: SourceKey): Promise<number> {
  const { count } = await knownOf(db, source)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether files with items are known below a folder. */
export const hasKnownBelow = async (db: Catalog, source: SourceKey, folder: string): Promise<boolean> =>
  (await knownOf(db, source).select('path').where(isBelow(folder)).limit(1).executeTakeFirst()) !== undefined;

/** Has a scan miss nothing below folders of which it learned nothing. */
export async function spareBelow(db: Catalog, source: SourceKey, scan: number, folders: string[]): Promise<void> {
  for (const folder of folders)
    await sql`update source_files set seen = ${scan} where ${ownOf(source)} and ${isMissed(scan)} and ${isBelow(folder)}`.execute(
      db,
    );
}

/** Has a scan miss no files with items at paths of which it learned that something is there. */
export async function sparePaths(db: Catalog, source: SourceKey, scan: number, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  await db
    .updateTable('source_files')
    .set({ seen: scan })
    .where('workspace_id', '=', source.workspace_id)
    .where('source_id', '=', source.id)
    .where('path', 'in', dialectOf(db).textsIn(paths))
    .where('media_id', 'is not', null)
    .execute();
}

/**
 * Notes that a whole scan did not see files, and moves those to the trash that several in a row did not see. Paths without items are forgotten.
 * @param atOnce whether this scan is enough
 */
export async function noteMissed(db: Catalog, source: SourceKey, scan: number, atOnce: boolean): Promise<void> {
  const where = isMissed(scan);
  const own = ownOf(source);
  const missing = atOnce ? sql.lit(missingScans) : sql`missing + 1`;
  // What a person put there stays there when its file is back.
  const isInTrash = sql`exists (select 1 from media_items
    where workspace_id = ${source.workspace_id} and id = source_files.media_id and trashed_at is not null)`;
  await sql`delete from source_files where ${own} and media_id is null and ${where}`.execute(db);
  await sql`update source_files set missing = case when ${missing} >= ${sql.lit(missingScans)} and ${isInTrash} then ${sql.lit(missingInTrash)} else ${missing} end
    where ${own} and missing < ${missingScans} and ${where}`.execute(db);
  const now = new Date().toISOString();
  await sql`update media_items set trashed_at = ${now}, updated_at = ${now}
    where workspace_id = ${source.workspace_id} and trashed_at is null and id in (
      select media_id from source_files where ${own} and missing = ${missingScans} and ${where})`.execute(db);
  // Those whose items were deleted since are new when they are back.
  await sql`delete from source_files where ${own} and missing >= ${missingScans} and ${where} and not exists (
    select 1 from media_items where workspace_id = ${source.workspace_id} and id = source_files.media_id)`.execute(db);
}

/** How many files a source has, their bytes, and how many of them have a problem. */
export function readFileTotals(
  db: Catalog,
  source: SourceKey,
): Promise<{ file_count: number; bytes: number; failed_count: number }> {
  return filesOf(db, source)
    .select((e) => [
      e.fn.count<number>('media_id').as('file_count'),
      e.fn.coalesce(e.fn.sum<number>('size'), sql.lit(0)).as('bytes'),
      e.fn.count<number>('problem_code').as('failed_count'),
    ])
    .where('missing', '=', 0)
    .executeTakeFirstOrThrow();
}
