import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { type BuiltIndex, takeSnapshot } from '../builder/built-index.ts';
import { buildIndex } from '../testing/built-index.ts';
import { createRandom, drawClusters, drawVector } from '../testing/random.ts';
import type { ScoreTraits } from './score-traits.ts';
import type { RankingTask } from './search-tasks.ts';
import { createSearchThreads, type SearchThreads } from './search-threads.ts';

const dimensions = 64;
const random = createRandom(11);
const traits: ScoreTraits = {
  mean: 0,
  spread: 0.1,
  weakBelow: 2,
  chanceMargins: null,
  duplicateThresholds: { copy: 0.95, continuation: 0.9 },
  hasMeasuredThresholds: true,
};

const createIndex = (count: number): Promise<BuiltIndex> =>
  buildIndex(drawClusters(random, { count, clusters: 10, dimensions }), dimensions);
const measure = (): Extract<RankingTask, { kind: 'background' }> => ({
  kind: 'background',
  vector: drawVector(random, dimensions),
  traits,
});

let threads: SearchThreads | undefined;
const started: Worker[] = [];
const noteWorker = (worker: Worker) => started.push(worker);

const startWorker = (thread: number) =>
  new Worker(new URL('../testing/search-thread.ts', import.meta.url), { workerData: thread });

/** Search threads; those that start are noted. */
function startThreads(): SearchThreads {
  started.length = 0;
  process.on('worker', noteWorker);
  return (threads = createSearchThreads(startWorker));
}

afterEach(async () => {
  process.off('worker', noteWorker);
  await threads?.stop();
});

/** Ends a thread by an error that nothing catches. */
function crash(worker: Worker | undefined): Promise<unknown> {
  // A request that is none.
  worker?.postMessage(null);
  return new Promise((resolve) => worker?.once('exit', resolve));
}

test('two hundred searches of one workspace keep that of another waiting for a few only', async () => {
  const threads = startThreads();
  const [mine, theirs] = [takeSnapshot(await createIndex(200)), takeSnapshot(await createIndex(200))];
  await threads.run<'background'>('mine', mine, measure());
  const order: string[] = [];
  const run = (workspaceId: string, snapshot: typeof mine) =>
    threads.run<'background'>(workspaceId, snapshot, measure()).then(() => order.push(workspaceId));
  const flood = Array.from({ length: 200 }, () => run('theirs', theirs));
  const single = run('mine', mine);
  await single;
  // Those that were in progress, and their next turn.
  expect(order.length).toBeLessThanOrEqual(2 * started.length + 3);
  // And again in the middle.
  await Promise.all(flood.slice(0, 100));
  const before = order.length;
  await Promise.all([run('mine', mine), run('mine', mine)]);
  expect(order.length - before).toBeLessThanOrEqual(4 * started.length + 6);
  await Promise.all(flood);
  expect(order.filter((each) => each === 'theirs')).toHaveLength(200);
});

test('a thread that crashes fails what it runs, and is replaced for all that waits', async () => {
  const threads = startThreads();
  const snapshot = takeSnapshot(await createIndex(300));
  const task = measure();
  const expected = await threads.run<'background'>('w', snapshot, task);
  expect(expected.size).toBe(300);
  for (let round = 0; round < 3; round++) {
    const [first] = started.splice(0);
    const crashed = crash(first);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => threads.run<'background'>('w', snapshot, task)),
    );
    await crashed;
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    // With other cores there are other threads.
    expect(failed.length).toBeLessThan(10);
    for (const result of results) if (result.status === 'fulfilled') expect(result.value).toEqual(expected);
    expect(started.length).toBeGreaterThan(0);
    expect(await threads.run<'background'>('w', snapshot, task)).toEqual(expected);
  }
});

test('a thread that crashes while nothing runs harms no search', async () => {
  const threads = startThreads();
  const snapshot = takeSnapshot(await createIndex(100));
  const task = measure();
  const expected = await threads.run<'background'>('w', snapshot, task);
  await crash(started[0]);
  expect(await threads.run<'background'>('w', snapshot, task)).toEqual(expected);
  await crash(started.at(-1));
  expect(await threads.run<'background'>('w', snapshot, task)).toEqual(expected);
});

test('an index that was forgotten is sent again, and a newer snapshot takes the place of an older one', async () => {
  const threads = startThreads();
  const index = await createIndex(120);
  const first = takeSnapshot(index);
  expect((await threads.run<'background'>('w', first, measure())).size).toBe(120);
  threads.forget(first.indexId);
  expect((await threads.run<'background'>('w', first, measure())).size).toBe(120);
  index.slotCount = 100;
  const second = takeSnapshot(index);
  expect((await threads.run<'background'>('w', second, measure())).size).toBe(100);
  threads.forget('none');
  // Requests may arrive in another order than their snapshots.
  expect((await threads.run<'background'>('w', first, measure())).size).toBe(120);
});

test('a task that fails says why, and fails no other', async () => {
  const threads = startThreads();
  const snapshot = takeSnapshot(await createIndex(10));
  const wrong = { ...measure(), vector: null as unknown as Float32Array };
  const results = await Promise.allSettled([
    threads.run<'background'>('w', snapshot, measure()),
    threads.run<'background'>('w', snapshot, wrong),
    threads.run<'background'>('w', snapshot, measure()),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(started.length).toBeGreaterThan(0);
});

test('what waits when the service stops fails, and so does what comes later', async () => {
  const threads = startThreads();
  const snapshot = takeSnapshot(await createIndex(500));
  await threads.run<'background'>('w', snapshot, measure());
  const waiting = Array.from({ length: 50 }, () => threads.run<'background'>('w', snapshot, measure()));
  const settled = Promise.allSettled(waiting);
  await threads.stop();
  expect((await settled).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  await expect(threads.run<'background'>('w', snapshot, measure())).rejects.toThrow('stops');
});
