import { expect, test } from 'vitest';
import { addSource, findSource } from '../catalog/sources/sources.ts';
import { openTestCatalog } from '../testing/test-catalog.ts';
import { scanSource } from './scan-source.ts';
import type { SourceReader } from './source-reader.ts';
import type { ListedFile } from './walk-folder.ts';

const fileOf = (path: string, identity: string): ListedFile => ({
  path,
  size: 1000 + Number(identity),
  modifiedMs: 1e12,
  identity,
  names: 1,
  sidecars: [],
});

/** A source whose files are those of a list. */
function readerOf(files: ListedFile[]): SourceReader {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    root: () => Promise.resolve({ device: '1', inode: '2', isMount: false, isEmpty: false }),
    async *list() {
      yield await Promise.resolve([{ folder: '', files, problems: [], isMount: false }]);
    },
    ask: (questions) =>
      Promise.resolve(
        questions.map(({ path }) => {
          const file = byPath.get(path);
          return file ? { ...file, identity: file.identity, names: 1, hash: null } : null;
        }),
      ),
    identifiesContent: false,
    isWatching: () => false,
    stop: () => undefined,
  };
}

test('all files of a large folder are renamed one further, in several transactions, and stay the same items', async () => {
  await using catalog = await openTestCatalog('sqlite');
  const { db, workspaceId } = catalog;
  const added = await addSource(db, workspaceId, {
    name: 'a',
    kind: 'folder',
    location: '/a',
    include: [],
    exclude: [],
    managed: false,
  });
  if (typeof added === 'string') throw new Error(added);
  const scan = async (files: ListedFile[]) => {
    const row = await findSource(db, workspaceId, added.id);
    if (!row) throw new Error('gone');
    return scanSource(db, row, readerOf(files), null, new AbortController().signal);
  };
  const items = async () => {
    const rows = await db.selectFrom('media_items').select(['id', 'source_path', 'trashed_at']).execute();
    return new Map(rows.map(({ id, source_path, trashed_at }) => [id, trashed_at ? 'in the trash' : source_path]));
  };
  const count = 1200;
  const numbers = Array.from({ length: count }, (_, i) => i);
  await scan(numbers.map((i) => fileOf(`${i}.jpg`, String(i))));
  const before = await items();
  expect(await scan(numbers.map((i) => fileOf(`${i + 1}.jpg`, String(i))))).toMatchObject({ moved: count, added: 0 });
  const after = await items();
  expect(after.size).toBe(count);
  for (const [id, path] of before) expect(after.get(id)).toBe(`${Number.parseInt(path ?? '', 10) + 1}.jpg`);
});
