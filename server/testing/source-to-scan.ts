import { type Selectable, sql } from 'kysely';
import type { Database } from '../catalog/schema.ts';
import { addSource, findSource, type SourceRow } from '../catalog/sources/sources.ts';
import { type ScanCounts, scanSource } from '../sources/scan-source.ts';
import type { SourceReader } from '../sources/source-reader.ts';
import type { FolderListing, ListedFile, ListingProblem } from '../sources/walk-folder.ts';
import type { Backend } from './fresh-catalog.ts';
import { openTestCatalog } from './test-catalog.ts';

/** A file that a reader lists. Its inode is its path where nothing else is said. */
export const file = (path: string, other: Partial<ListedFile> = {}): ListedFile => ({
  path,
  size: 1000,
  modifiedMs: 1e12,
  identity: path,
  names: 1,
  sidecars: [],
  ...other,
});

export const files = (count: number, folder = 'a'): ListedFile[] =>
  Array.from({ length: count }, (_, i) => file(`${folder}/${i}.jpg`));

export const listing = (folder: string, listed: ListedFile[], other: Partial<FolderListing> = {}): FolderListing => ({
  folder,
  files: listed,
  problems: [],
  isMount: false,
  ...other,
});

export const problem = (path: string, code = 'archived'): ListingProblem => ({ path, code, message: 'It is so.' });

/** A reader of a disk that holds what `disk` says now, in batches. */
function readerOf(disk: { root: { device: string; inode: string }; list: () => FolderListing[] }): SourceReader {
  return {
    root: () => Promise.resolve({ ...disk.root, isMount: false, isEmpty: false }),
    async *list() {
      for (const each of disk.list()) yield [each];
    },
    ask: (questions) =>
      Promise.resolve(
        questions.map(({ path, want }) => {
          const found = disk
            .list()
            .flatMap((each) => each.files)
            .find((each) => each.path === path);
          return found ? { ...found, hash: want === 'identity' ? null : `${found.size}` } : null;
        }),
      ),
    identifiesContent: false,
    isWatching: () => false,
    stop: () => undefined,
  };
}

/** A source over a disk that a test says what is on. */
export async function openSource(backend: Backend = 'sqlite') {
  const catalog = await openTestCatalog(backend);
  const { db, workspaceId } = catalog;
  const body = { name: 'NAS', location: 's3://nas', include: [], exclude: [] };
  const added = (await addSource(db, workspaceId, { ...body, kind: 'bucket', managed: false })) as SourceRow;
  const disk = { root: { device: '1', inode: '2' }, list: (): FolderListing[] => [] };
  const reader = readerOf(disk);
  const row = async () => (await findSource(db, workspaceId, added.id)) as SourceRow;
  return {
    ...catalog,
    disk,
    reader,
    row,
    /** Scans what a disk lists. @returns counts, or the code of the error */
    async scan(list: FolderListing[], folders: string[] | null = null, accepts = false): Promise<ScanCounts | string> {
      disk.list = () => list;
      const source = { ...(await row()), accepts_missing: accepts ? 1 : 0 };
      return scanSource(db, source, reader, folders, new AbortController().signal).catch(
        (error: Error & { code?: string }) => error.code ?? error.message,
      );
    },
    /** Items, and those of them in the trash. */
    async items(): Promise<[number, number]> {
      const { all, trashed } = await db
        .selectFrom('media_items')
        .select((e) => [e.fn.countAll<number>().as('all'), sql<number>`count(trashed_at)`.as('trashed')])
        .executeTakeFirstOrThrow();
      return [all, trashed];
    },
    known: (): Promise<Selectable<Database['source_files']>[]> =>
      db.selectFrom('source_files').selectAll().orderBy('path').execute(),
    [Symbol.asyncDispose]: () => catalog[Symbol.asyncDispose](),
  };
}
