import { expect, test, vi } from 'vitest';
import { addSource, findSource, setSource, type SourceRow } from '../catalog/sources/sources.ts';
import { openTestCatalog } from '../testing/test-catalog.ts';
import { SourceError } from './source-error.ts';
import { createSourceKeeper } from './source-keeper.ts';
import type { SourceReader } from './source-reader.ts';
import { startSources } from './start-sources.ts';

const never = () => new Promise<never>(() => undefined);
const root = () => Promise.resolve({ device: '1', inode: '1', isMount: false, isEmpty: false });

/** Sources whose roots answer as a test says, by their names. */
async function setUp(roots: Record<string, SourceReader['root']>) {
  const stack = new AsyncDisposableStack();
  const { db, workspaceId } = stack.use(await openTestCatalog('sqlite'));
  const stop = vi.fn();
  const reading: string[] = [];
  const abort = new AbortController();
  const parts = {
    db,
    dataDirectory: '/none',
    roots: ['s3://bucket'],
    removeFiles: () => Promise.resolve(),
    onStored: () => undefined,
    log: { error: vi.fn(), warn: vi.fn() },
    buckets: {
      refuseOwn(location: string) {
        if (location.endsWith('/own')) throw new SourceError('location', 'must not hold the files of the service');
      },
      openReader: (location: string): SourceReader => ({
        root() {
          reading.push(location);
          return (roots[location.slice('s3://bucket/'.length)] ?? root)();
        },
        async *list() {
          yield await Promise.resolve([]);
        },
        ask: () => Promise.resolve([]),
        identifiesContent: true,
        isWatching: () => false,
        stop: () => stop(location),
      }),
    },
  };
  return {
    db,
    stop,
    reading,
    parts: { ...parts, signal: abort.signal },
    async add(name: string, columns: Partial<SourceRow> = {}, location = `s3://bucket/${name}`): Promise<SourceRow> {
      const row = await addSource(db, workspaceId, {
        name,
        kind: 'bucket',
        location,
        include: [],
        exclude: [],
        managed: columns.managed === 1,
      });
      if (typeof row === 'string') throw new Error(row);
      if (Object.keys(columns).length > 0) await setSource(db, row, columns);
      return { ...row, ...columns };
    },
    find: ({ id }: SourceRow) => findSource(db, workspaceId, id),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const wait = { timeout: 8000 };

test('sources that are away and hang keep neither others from being scanned nor others from being removed', async () => {
  await using t = await setUp({ a: never, b: never, c: never, d: never });
  for (const name of ['a', 'b']) await t.add(name, { offline_since: '2026-11-28T10:00:00.000Z' });
  const [c, d] = [await t.add('c'), await t.add('d')];
  const keeping = startSources(t.parts);
  await expect.poll(() => t.reading, wait).toContain('s3://bucket/d');
  expect(t.reading).toHaveLength(3);
  const gone = await t.add('gone', { removed_at: new Date().toISOString() });
  await expect.poll(() => t.find(gone), wait).toBeUndefined();
  expect([await t.find(c), await t.find(d)]).toMatchObject([{ last_scan: null }, { last_scan: null }]);
  void keeping.stop();
});

test('what is due the longest is scanned first', async () => {
  await using t = await setUp({ a: never, b: never });
  await t.add('a', { scan_wanted_at: '2026-11-28T10:00:02.000Z' });
  await t.add('b', { scan_wanted_at: '2026-11-28T10:00:01.000Z' });
  const last = await t.add('c', { scan_wanted_at: '2026-11-28T10:00:00.000Z' });
  const keeping = startSources(t.parts);
  await expect.poll(async () => (await t.find(last))?.last_scan, wait).not.toBeNull();
  expect(t.reading.slice(0, 2)).toEqual(['s3://bucket/c', 's3://bucket/b']);
  void keeping.stop();
});

test('nothing reads a source that is paused', async () => {
  await using t = await setUp({});
  const row = await t.add('a');
  const keeping = startSources(t.parts);
  await expect.poll(async () => (await t.find(row))?.last_scan, wait).not.toBeNull();
  expect(t.stop).not.toHaveBeenCalled();
  await setSource(t.db, row, { paused: 1 });
  await expect.poll(() => t.stop.mock.calls, wait).toEqual([['s3://bucket/a']]);
  await keeping.stop();
});

test('a source outside the roots of now, or with files of the service, is offline unless the operator added it', async () => {
  await using t = await setUp({});
  const rows = [
    await t.add('a', {}, 's3://other/a'),
    await t.add('b', { managed: 1 }, 's3://other/b'),
    await t.add('c', { managed: 1 }, 's3://other/own'),
  ];
  const keeping = startSources(t.parts);
  await expect.poll(async () => (await t.find(rows[1] as SourceRow))?.last_scan, wait).not.toBeNull();
  await expect.poll(async () => (await t.find(rows[2] as SourceRow))?.problem_code, wait).toBe('not_allowed');
  expect(await t.find(rows[0] as SourceRow)).toMatchObject({
    problem_code: 'not_allowed',
    problem_message: 'The operator no longer allows sources at its location (SOURCE_ROOTS).',
  });
  expect(t.reading).toEqual(['s3://other/b']);
  await keeping.stop();
});

test('a source that stays away is looked for less and less often', async () => {
  await using t = await setUp({ a: () => Promise.reject(new SourceError('hangs', 'It hangs.')) });
  const row = { ...(await t.add('a')), scan_wanted_at: null };
  const keeper = createSourceKeeper(t.parts, row);
  const waits: number[] = [];
  for (let i = 0; i < 7; i++) {
    await keeper.work(row);
    waits.push(Math.round((keeper.dueAt(row) - performance.now()) / 1000));
  }
  expect(waits).toEqual([15, 30, 60, 120, 240, 300, 300]);
});
