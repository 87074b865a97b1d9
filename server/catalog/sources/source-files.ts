import path from 'node:path';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { MediaType } from '../../../contract/media.ts';
import { columnNames } from '../dialect/column-names.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { RowsOf } from '../dialect/differences.ts';
import { queuedAgain } from '../media/item-status.ts';
import { restoreFromTrash } from '../media/trash.ts';
import type { Catalog, Database } from '../schema.ts';
import { requestIndexing } from './request-indexing.ts';

export type SourceFileRow = Selectable<Database['source_files']>;
export type SourceKey = { workspace_id: string; id: string };

/** A file of a source as it was listed. */
export type FoundFile = Pick<SourceFileRow, 'path' | 'size' | 'modified_ms' | 'identity' | 'sidecars'> & {
  type: MediaType;
  mimeType: string;
};

/** Scans that miss a file before its item goes to the trash. */
export const missingScans = 2;
/** The same of a file whose item a person had put there before. */
export const missingInTrash = missingScans + 1;

export const filesOf = (db: Catalog, { workspace_id, id }: SourceKey) =>
  db
    .selectFrom('source_files')
    .where('source_files.workspace_id', '=', workspace_id)
    .where('source_files.source_id', '=', id);

/** Begins a change of files of a source. */
export const updateFiles = (db: Catalog, { workspace_id, id }: SourceKey) =>
  db.updateTable('source_files').where('workspace_id', '=', workspace_id).where('source_id', '=', id);

/** Whether the item of a missing file was deleted since, as the trash does after a while: such a file is new when it is back. */
const isForgotten = sql<boolean>`(source_files.missing >= ${sql.lit(missingScans)} and source_files.media_id is not null and not exists (
  select 1 from media_items where media_items.workspace_id = source_files.workspace_id and media_items.id = source_files.media_id))`;

/** The known files of a source at some paths, by path. One whose item was deleted while it was missing has none. */
export async function findFiles(db: Catalog, source: SourceKey, paths: string[]): Promise<Map<string, SourceFileRow>> {
  const rows = await filesOf(db, source)
    .selectAll()
    .select(sql<number>`case when ${isForgotten} then 1 else 0 end`.as('forgotten'))
    .where('path', 'in', dialectOf(db).textsIn(paths))
    .execute();
  return new Map(
    rows.map(({ forgotten, ...row }) => [row.path, { ...row, media_id: forgotten === 1 ? null : row.media_id }]),
  );
}

const filesWithItems = (db: Catalog, source: SourceKey) =>
  filesOf(db, source)
    .where('media_id', 'is not', null)
    .where(sql<boolean>`not ${isForgotten}`);

/** Known files with one of these identities, those first that no scan saw for the longest. @param limit of each identity at most so many */
export function findByIdentity(
  db: Catalog,
  source: SourceKey,
  identities: string[],
  limit: number,
): Promise<SourceFileRow[]> {
  const ranked = filesWithItems(db, source)
    .selectAll()
    .select(sql<number>`row_number() over (partition by identity order by seen, path)`.as('rank'))
    .where('identity', 'in', dialectOf(db).textsIn(identities));
  return db.selectFrom(ranked.as('ranked')).selectAll().where('rank', '<=', limit).orderBy('rank').execute();
}

/** Known files with one of these lengths whose ends were hashed. */
export const findBySize = (db: Catalog, source: SourceKey, sizes: number[]): Promise<SourceFileRow[]> =>
  filesWithItems(db, source)
    .selectAll()
    .where('size', 'in', dialectOf(db).numbersIn(sizes))
    .where('quick_hash', 'is not', null)
    .limit(10_000)
    .execute();

/** The folder of a file; empty text: the root. */
export const folderOf = (file: string): string => {
  const folder = path.posix.dirname(file);
  return folder === '.' ? '' : folder;
};

/** What of a file is another now though it holds the same, as on a share that was mounted again, or of an object that was stored again. */
export type TouchedFile = Pick<SourceFileRow, 'identity' | 'modified_ms'>;

/**
 * Notes that a scan saw files that are as they were. Those that went to the trash because they were missing come back.
 * @param touched by path
 */
export async function markSeen(
  db: Catalog,
  source: SourceKey,
  scan: number,
  rows: SourceFileRow[],
  touched: ReadonlyMap<string, TouchedFile>,
): Promise<void> {
  if (rows.length === 0) return;
  for (const [file, columns] of touched) await updateFiles(db, source).set(columns).where('path', '=', file).execute();
  await updateFiles(db, source)
    .set({ seen: seenBy(scan), missing: 0, ...noProblem })
    .where('path', 'in', dialectOf(db).textsIn(rows.map((row) => row.path)))
    .execute();
  await bringBack(db, source, rows);
  await retryMissing(db, source, rows);
}

/** Has items indexed whose files were not at their places when they were to be read. */
export async function retryMissing(db: Catalog, source: SourceKey, rows: SourceFileRow[]): Promise<void> {
  const items = await db
    .updateTable('media_items')
    .set(queuedAgain)
    .where('workspace_id', '=', source.workspace_id)
    .where('id', 'in', dialectOf(db).textsIn(rows.flatMap(({ media_id: id }) => id ?? [])))
    .where('error_code', '=', 'original_missing')
    .returning(['id', 'type'])
    .execute();
  await requestIndexing(db, source, items);
}

/** Takes items out of the trash that went there because their files were missing. */
export async function bringBack(db: Catalog, { workspace_id }: SourceKey, rows: SourceFileRow[]): Promise<void> {
  const back = rows.flatMap(({ missing, media_id: id }) => (missing === missingScans && id !== null ? [id] : []));
  if (back.length > 0) await restoreFromTrash(db, workspace_id, back);
}

export const noProblem = { problem_code: null, problem_message: null };
export const problemOf = ({ code, message }: { code: string; message: string }) => ({
  problem_code: code,
  problem_message: message,
});

/** Two scans of one source may be under way, as when its process was suspended: what the later saw counts. */
export const seenBy = (scan: number): RawBuilder<number> =>
  sql<number>`case when source_files.seen < ${scan} then ${scan} else source_files.seen end`;

const fileColumns = {
  workspace_id: 'text',
  source_id: 'text',
  path: 'text',
  size: 'integer',
  modified_ms: 'real',
  identity: 'text',
  sidecars: 'text',
  media_id: 'text',
  seen: 'integer',
  problem_code: 'text',
  problem_message: 'text',
} as const;

/** An insert of files; what is done on a conflict is to follow. */
export const insertRows = (db: Catalog, rows: RowsOf<typeof fileColumns>): RawBuilder<unknown> =>
  sql`insert into source_files (${columnNames(fileColumns)}) ${dialectOf(db).rowsIn(fileColumns, rows)}`;

/** What is stored of a file as it was listed. */
export const columnsOf = ({ path: file, size, modified_ms, identity, sidecars }: FoundFile) => ({
  path: file,
  size,
  modified_ms,
  identity,
  sidecars,
});

/** Forgets files. @param paths of them */
export async function deleteFiles(db: Catalog, { workspace_id, id }: SourceKey, paths: string[]): Promise<void> {
  await db
    .deleteFrom('source_files')
    .where('workspace_id', '=', workspace_id)
    .where('source_id', '=', id)
    .where('path', 'in', dialectOf(db).textsIn(paths))
    .execute();
}

/** Notes what could not be listed; a file that has an item keeps it. */
export async function noteProblems(
  db: Catalog,
  source: SourceKey,
  scan: number,
  problems: { path: string; code: string; message: string }[],
): Promise<void> {
  // A folder may be listed twice while it changes.
  const last = new Map(problems.map((problem) => [problem.path, problem]));
  const rows = Array.from(last.values(), ({ path: file, ...problem }) => ({
    workspace_id: source.workspace_id,
    source_id: source.id,
    path: file,
    size: 0,
    modified_ms: 0,
    identity: '',
    sidecars: '[]',
    media_id: null,
    seen: scan,
    ...problemOf(problem),
  }));
  await sql`${insertRows(db, rows)} on conflict (workspace_id, source_id, path) do update set
    seen = ${seenBy(scan)}, problem_code = excluded.problem_code, problem_message = excluded.problem_message`.execute(
    db,
  );
}

/** What a file holds, by which it is recognised in another place. */
export type FileHashes = { quick_hash: string; full_hash: string | null };

/** Whether the file of an item is known in its source: where it is not at its place, the next scan may find it at another. */
export async function isFileKnown(
  db: Catalog,
  { workspace_id, id }: { workspace_id: string; id: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('source_files')
    .select('path')
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .where('missing', '<', missingScans)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores what was read of a file when it was indexed. To be called in the transaction that stores what else was read. */
export async function noteHashes(
  db: Catalog,
  { workspace_id, id }: { workspace_id: string; id: string },
  hashes: FileHashes,
): Promise<void> {
  await db
    .updateTable('source_files')
    .set(hashes)
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .execute();
}
