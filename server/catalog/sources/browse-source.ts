import { sql } from 'kysely';
import type { SourceFile, SourceFilesQuery, SourceFolder } from '../../../contract/sources.ts';
import type { Catalog } from '../schema.ts';
import { filesOf, type SourceKey } from './source-files.ts';

/** Folders of a folder that are listed at most. */
const maxFolders = 1000;

/** The folders with items in a folder of a source, by name. @param folder below the root; empty: the root */
export async function readSourceFolders(db: Catalog, source: SourceKey, folder: string): Promise<SourceFolder[]> {
  const inside = folder === '' ? sql`true` : sql`(folder >= ${`${folder}/`} and folder < ${`${folder}0`})`;
  const { rows } = await sql<{ folder: string; items: number }>`
    select folder, count(*) as items from media_items
    where workspace_id = ${source.workspace_id} and source_id = ${source.id} and trashed_at is null and folder <> '' and ${inside}
    group by folder order by folder`.execute(db);
  const start = folder === '' ? 0 : folder.length + 1;
  const found = new Map<string, SourceFolder & { names: Set<string> }>();
  for (const row of rows) {
    const [name = '', below] = row.folder.slice(start).split('/');
    const known = found.get(name) ?? {
      path: folder === '' ? name : `${folder}/${name}`,
      name,
      items: 0,
      folders: 0,
      names: new Set<string>(),
    };
    known.items += row.items;
    if (below !== undefined) known.names.add(below);
    found.set(name, known);
  }
  return [...found.values()]
    .slice(0, maxFolders)
    .map(({ path, name, items, names }) => ({ path, name, items, folders: names.size }));
}

/** One page of the files of a source by path, and how many there are on all pages. */
export async function readSourceFiles(
  db: Catalog,
  source: SourceKey,
  { path, failed, page, per_page }: SourceFilesQuery,
): Promise<{ files: SourceFile[]; total: number }> {
  let matching = filesOf(db, source)
    .leftJoin('media_items', (join) =>
      join
        .onRef('media_items.workspace_id', '=', 'source_files.workspace_id')
        .onRef('media_items.id', '=', 'source_files.media_id'),
    )
    .where('source_files.missing', '=', 0);
  if (path !== undefined && path !== '')
    matching = matching.where(
      sql<boolean>`(source_files.path = ${path} or (source_files.path >= ${`${path}/`} and source_files.path < ${`${path}0`}))`,
    );
  if (failed)
    matching = matching.where(sql<boolean>`(source_files.problem_code is not null or media_items.status = 'error')`);
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .select([
      'source_files.path',
      'source_files.size',
      'source_files.modified_ms',
      'media_items.id',
      'media_items.status',
      'media_items.error_code',
      'media_items.error_message',
      'source_files.problem_code',
      'source_files.problem_message',
    ])
    .orderBy('source_files.path')
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  const files = rows.map((row) => {
    const code = row.problem_code ?? row.error_code;
    return {
      path: row.path,
      size: row.size,
      modified_at: row.modified_ms === 0 ? null : new Date(row.modified_ms).toISOString(),
      media_id: row.id,
      status: row.status,
      problem: code === null ? null : { code, message: row.problem_message ?? row.error_message ?? '' },
    };
  });
  return { files, total };
}
