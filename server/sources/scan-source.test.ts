import { expect, test } from 'vitest';
import { savePlan } from '../catalog/accounts/plans.ts';
import { changeFiles } from '../catalog/sources/change-files.ts';
import { moveFiles } from '../catalog/sources/move-files.ts';
import { findFiles } from '../catalog/sources/source-files.ts';
import { addSource, findSource } from '../catalog/sources/sources.ts';
import { openTestCatalog } from '../testing/test-catalog.ts';
import { scanSource } from './scan-source.ts';
import type { SourceReader } from './source-reader.ts';
import type { ListedFile } from './walk-folder.ts';

/** A file of a folder; files of one identity are one file. Its content is its length, unless `content` says otherwise. */
type Drawn = ListedFile & { content: string };
const file = (path: string, changes: Partial<Drawn> = {}): Drawn => ({
  path,
  size: 1000,
  modifiedMs: 1e12,
  identity: path,
  names: 1,
  sidecars: [],
  content: 'x',
  ...changes,
});

const unreachable = (): never => {
  throw new Error('It is not known.');
};

const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');

/**
 * A reader of folders that are drawn.
 * @param listed what is listed, by folder in this order @param there what is there when something is asked, where that is another
 */
function createReader(listed: Drawn[][], there: Drawn[] = listed.flat()) {
  const asked: string[] = [];
  const reader: SourceReader = {
    root: () => Promise.resolve({ device: '1', inode: '2', isMount: false, isEmpty: false }),
    // oxlint-disable-next-line typescript/require-await -- as readers are
    async *list() {
      for (const files of listed) {
        const folder = folderOf(files[0]?.path ?? '');
        yield [{ folder, files, problems: [], isMount: false }];
      }
    },
    ask: (questions) =>
      Promise.resolve(
        questions.map(({ path, want }) => {
          asked.push(`${want} ${path}`);
          const found = there.find((each) => each.path === path);
          if (!found) return null;
          const { identity, names, size, modifiedMs, content } = found;
          return { identity, names, size, modifiedMs, hash: want === 'identity' ? null : `${want} ${content}` };
        }),
      ),
    identifiesContent: false,
    isWatching: () => false,
    stop: () => undefined,
  };
  return { reader, asked };
}

async function setUp() {
  const catalog = await openTestCatalog('sqlite');
  const { db, workspaceId } = catalog;
  const place = { kind: 'folder', location: '/nas', include: [], exclude: [], managed: false } as const;
  const added = await addSource(db, workspaceId, { name: 'NAS', ...place, include: [], exclude: [] });
  if (typeof added === 'string') throw new Error(added);
  const source = { workspace_id: workspaceId, id: added.id };
  const scan = async ({ reader }: { reader: SourceReader }) => {
    const row = await findSource(db, workspaceId, added.id);
    if (!row) throw new Error('There is no source.');
    return scanSource(db, row, reader, null, new AbortController().signal);
  };
  return {
    db,
    source,
    scan,
    scanAll: (...files: Drawn[]) => scan(createReader([files])),
    /** Notes the hashes of all files, as indexing does. */
    hash: (content: string) =>
      db
        .updateTable('source_files')
        .set({ quick_hash: `ends ${content}`, full_hash: `whole ${content}` })
        .execute(),
    items: () =>
      db.selectFrom('media_items').select(['id', 'filename', 'source_path', 'trashed_at']).orderBy('id').execute(),
    jobs: () => db.selectFrom('jobs').select('media_id').execute(),
    rows: () => db.selectFrom('source_files').selectAll().orderBy('path').execute(),
    [Symbol.asyncDispose]: () => catalog[Symbol.asyncDispose](),
  };
}

const compareNames = new Intl.Collator('en').compare as (a: string | null, b: string | null) => number;
const pathsOf = (items: { source_path: string | null; trashed_at: string | null }[]) =>
  items
    .map(({ source_path, trashed_at }) => (trashed_at === null ? source_path : `trash ${source_path}`))
    .toSorted(compareNames);

test('a move that two scans decide is made once', async () => {
  await using t = await setUp();
  await t.scanAll(file('a.jpg', { identity: '1' }), file('z.jpg'));
  const row = (await findFiles(t.db, t.source, ['a.jpg'])).get('a.jpg') ?? unreachable();
  const { size, modified_ms, identity, sidecars } = row;
  const moved = {
    path: 'b.jpg',
    size,
    modified_ms,
    identity,
    sidecars,
    type: 'image',
    mimeType: 'image/jpeg',
  } as const;
  await moveFiles(t.db, t.source, 9, [{ row, file: moved }]);
  await moveFiles(t.db, t.source, 8, [{ row, file: moved }]);
  expect(pathsOf(await t.items())).toEqual(['b.jpg', 'z.jpg']);
  expect((await t.rows()).map(({ path, seen }) => [path, seen])).toEqual([
    ['b.jpg', 9],
    ['z.jpg', 1],
  ]);
});

test('what another scan stored meanwhile gets no second item, and stays seen', async () => {
  await using t = await setUp();
  await t.scanAll(file('z.jpg'));
  const drawn = createReader([[file('a.jpg')], [file('a.jpg', { size: 5 })]]).reader;
  const late: SourceReader = {
    ...drawn,
    async *list(folders) {
      for await (const each of drawn.list(folders)) {
        // The other scan begins later and ends earlier.
        await t.scanAll(file('a.jpg', { size: 5 }), file('z.jpg'));
        yield each;
      }
    },
  };
  await t.scan({ reader: late });
  expect((await t.items()).filter(({ source_path }) => source_path === 'a.jpg')).toHaveLength(1);
  expect((await t.rows()).find(({ path }) => path === 'a.jpg')?.seen).toBe(4);
});

test('files without room in the plan stay out until there is room', async () => {
  await using t = await setUp();
  await savePlan(t.db, 'self-hosted', { media_items: 2 });
  const files = Array.from({ length: 5 }, (_, i) => file(`${i}.jpg`));
  for (const changed of [0, 0]) {
    expect((await t.scanAll(...files)).changed).toBe(changed);
    expect(await t.items()).toHaveLength(2);
    expect((await t.rows()).filter(({ problem_code: code }) => code === 'quota_exceeded')).toHaveLength(3);
  }
  await savePlan(t.db, 'self-hosted', { media_items: 3 });
  const { path, size, modified_ms, identity, sidecars } = (await t.rows())[2] ?? unreachable();
  const found = { path, size, modified_ms, identity, sidecars, type: 'image', mimeType: 'image/jpeg' } as const;
  // Two scans may decide so.
  expect(await changeFiles(t.db, t.source, 5, [found])).toBe(1);
  expect(await changeFiles(t.db, t.source, 4, [found])).toBe(0);
  expect((await t.items()).filter((item) => item.source_path === path)).toHaveLength(1);
  await savePlan(t.db, 'self-hosted', { media_items: 5 });
  expect((await t.scanAll(...files)).changed).toBe(2);
  expect(await t.items()).toHaveLength(5);
});

test('a file whose place another took while it was renamed keeps its item', async () => {
  await using t = await setUp();
  const a = file('m/a.jpg', { identity: 'A', modifiedMs: 1 });
  const x = file('n/x.jpg', { identity: 'X', modifiedMs: 2, size: 7 });
  await t.scan(createReader([[a], [x]]));
  const [first, second] = await t.items();
  const [a2, x2] = [
    { ...a, path: 'b/a.jpg' },
    { ...x, path: 'm/a.jpg' },
  ];
  // The folder b was listed before the renaming.
  await t.scan(createReader([[x2]], [a2, x2]));
  expect((await t.items()).map(({ trashed_at }) => trashed_at)).toEqual([null, null]);
  const next = createReader([[a2], [x2]]);
  expect(await t.scan(next)).toMatchObject({ moved: 1, added: 0, changed: 0 });
  expect(next.asked.filter((each) => each.includes('/displaced'))).toEqual([]);
  expect(await t.items()).toMatchObject([
    { id: first?.id, source_path: 'b/a.jpg', filename: 'a.jpg', trashed_at: null },
    { id: second?.id, source_path: 'm/a.jpg', filename: 'a.jpg', trashed_at: null },
  ]);
});

test('a file whose place another took, and that is nowhere, goes to the trash as others do', async () => {
  await using t = await setUp();
  const x = file('n/x.jpg', { size: 7 });
  await t.scan(createReader([[file('m/a.jpg')], [x]]));
  const trashed = async () => (await t.items()).map(({ trashed_at }) => trashed_at !== null);
  const x2 = { ...x, path: 'm/a.jpg' };
  await t.scanAll(x2);
  expect(await trashed()).toEqual([false, false]);
  await t.scanAll(x2);
  expect(await trashed()).toEqual([true, false]);
});

test('a file that is back after its item was deleted with the trash gets a new one', async () => {
  await using t = await setUp();
  const all = [file('a.jpg'), file('b.jpg'), file('c.jpg')];
  await t.scanAll(...all);
  for (const _ of [1, 2]) await t.scanAll(...all.slice(1));
  await t.db.deleteFrom('media_items').where('trashed_at', 'is not', null).execute();
  expect((await t.scanAll(...all)).changed).toBe(1);
  expect(pathsOf(await t.items())).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  // Also where it is back at another place, and after a scan that missed it once more.
  for (const _ of [1, 2]) await t.scanAll(...all.slice(1));
  await t.db.deleteFrom('media_items').where('trashed_at', 'is not', null).execute();
  expect(await t.scanAll(file('d.jpg', { identity: 'a.jpg' }), ...all.slice(1))).toMatchObject({ added: 1, moved: 0 });
  expect((await t.rows()).map(({ path }) => path)).toEqual(['b.jpg', 'c.jpg', 'd.jpg']);
  // What a person deletes stays out.
  await t.db.deleteFrom('media_items').where('source_path', '=', 'b.jpg').execute();
  await t.scanAll(...all);
  await t.scanAll(...all);
  expect(pathsOf(await t.items())).toEqual(['a.jpg', 'c.jpg']);
});

test('of many equal files few are asked about', async () => {
  await using t = await setUp();
  const equal = Array.from({ length: 400 }, (_, i) => file(`${String(i).padStart(3, '0')}.jpg`, { identity: 'E' }));
  await t.scanAll(...equal);
  const next = createReader([[file('new.jpg', { identity: 'E' })], equal]);
  await t.scan(next);
  expect(next.asked.length).toBeLessThan(30);
});

test('one file by two paths is two items that stay', async () => {
  await using t = await setUp();
  const lists = [[file('a.jpg', { identity: 'T' })], [file('snap/a.jpg', { identity: 'T' })]];
  expect(await t.scan(createReader(lists))).toMatchObject({ added: 2, moved: 0 });
  expect(await t.scan(createReader(lists))).toMatchObject({ added: 0, moved: 0, gone: 0 });
  // Another spelling is a renaming.
  const respelled = [[file('A.jpg', { identity: 'T' })], lists[1] ?? []];
  const there = [...respelled.flat(), file('a.jpg', { identity: 'T' })];
  expect(await t.scan(createReader(respelled, there))).toMatchObject({ added: 0, moved: 1 });
});

test('a copy takes nothing from a file that is there with another inode', async () => {
  await using t = await setUp();
  await t.scanAll(file('e/x.mov', { identity: '1' }));
  await t.hash('x');
  const all = [[file('a/copy.mov', { identity: '72', modifiedMs: 5 })], [file('e/x.mov', { identity: '71' })]];
  expect(await t.scan(createReader(all))).toMatchObject({ added: 1, moved: 0 });
});

test('a file of which only the time is another is not indexed again', async () => {
  await using t = await setUp();
  await t.scanAll(file('a.jpg'), file('b.jpg'));
  await t.hash('x');
  await t.db.deleteFrom('jobs').execute();
  const [a, b] = [file('a.jpg', { modifiedMs: 5 }), file('b.jpg', { modifiedMs: 5, content: 'y' })];
  expect(await t.scanAll(a, b)).toMatchObject({ changed: 1 });
  expect(await t.jobs()).toEqual([{ media_id: (await t.rows())[1]?.media_id }]);
  expect(await t.rows()).toMatchObject([
    { path: 'a.jpg', modified_ms: 5, quick_hash: 'ends x' },
    { path: 'b.jpg', modified_ms: 5, quick_hash: null },
  ]);
});

test('files of one length and time that change places take their items along; with other inodes alone they stay', async () => {
  await using t = await setUp();
  const of = (path: string, identity: string, content: string) => file(path, { identity, content });
  await t.scanAll(of('a.cr2', '1', 'x'), of('b.cr2', '2', 'y'));
  await t.db.updateTable('source_files').set({ quick_hash: 'ends x' }).where('path', '=', 'a.cr2').execute();
  await t.db.updateTable('source_files').set({ quick_hash: 'ends y' }).where('path', '=', 'b.cr2').execute();
  const [a, b] = await t.rows();
  expect(await t.scanAll(of('a.cr2', '2', 'y'), of('b.cr2', '1', 'x'))).toMatchObject({ moved: 2, changed: 0 });
  expect((await t.rows()).map(({ media_id: id }) => id)).toEqual([b?.media_id, a?.media_id]);
  // As after a share was mounted again that counts its inodes as they are asked for.
  expect(await t.scanAll(of('a.cr2', '1', 'y'), of('b.cr2', '2', 'x'))).toMatchObject({
    moved: 0,
    changed: 0,
    gone: 0,
  });
  expect((await t.rows()).map(({ media_id: id }) => id)).toEqual([b?.media_id, a?.media_id]);
});

test('what a person put in the trash stays there when its file goes and comes back', async () => {
  await using t = await setUp();
  const files = ['a.jpg', 'b.jpg', 'c.jpg'].map((path) => file(path));
  await t.scanAll(...files);
  const trashed_at = '2026-01-01T00:00:00.000Z';
  await t.db.updateTable('media_items').set({ trashed_at }).where('source_path', '=', 'a.jpg').execute();
  for (const _ of [1, 2, 3]) await t.scanAll(...files.slice(2));
  expect(pathsOf(await t.items())).toEqual(['c.jpg', 'trash a.jpg', 'trash b.jpg']);
  await t.scanAll(...files);
  expect(pathsOf(await t.items())).toEqual(['b.jpg', 'c.jpg', 'trash a.jpg']);
});

test('what is added at once is listed in the order in which it was found', async () => {
  await using t = await setUp();
  const names = Array.from({ length: 50 }, (_, i) => `${100 + i}.jpg`);
  await t.scanAll(...names.map((name) => file(name)));
  expect((await t.items()).map(({ source_path: path }) => path)).toEqual(names);
});
