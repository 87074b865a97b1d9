import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BusyError, FairQueue } from './fair-queue.ts';

const patient = new AbortController().signal;

/** Queues tasks, each named after its workspace; they run until `end` is called with their name. */
function setUp(concurrency: number, sparesShort = false) {
  const queue = new FairQueue({ concurrency, sparesShort });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    async add(name: string, isLong = false, signal = patient) {
      ends.set(name, await queue.waitForTurn({ owner: name.charAt(0), isLong }, signal));
      started.push(name);
    },
    async end(name: string) {
      ends.get(name)?.();
      await setImmediate();
    },
  };
}

test('the workspace with the fewest running tasks is next, and those with as many take turns', async () => {
  const t = setUp(2);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void t.add(name);
  await setImmediate();
  expect(t.started).toEqual(['a1', 'a2']);
  for (const name of ['a1', 'b1', 'c1', 'b2', 'a2', 'a3']) await t.end(name);
  expect(t.started).toEqual(['a1', 'a2', 'b1', 'c1', 'b2', 'a3', 'a4']);
});

test('where the newest come first, workspaces still take turns', async () => {
  const queue = new FairQueue({ concurrency: 1, newestFirst: true });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const take = async (name: string) => {
    const end = await queue.waitForTurn({ owner: name.charAt(0) });
    started.push(name);
    ends.push(end);
  };
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'a4']) void take(name);
  for (let i = 0; i < 6; i++) {
    await setImmediate();
    ends[i]?.();
  }
  expect(started).toEqual(['a1', 'a4', 'b2', 'a3', 'b1', 'a2']);
});

test('long tasks of a workspace leave a place to its short ones and to other workspaces', async () => {
  const t = setUp(2);
  void t.add('a1', true);
  void t.add('a2', true);
  await setImmediate();
  expect(t.started).toEqual(['a1']);
  void t.add('a3');
  await setImmediate();
  expect(t.started).toEqual(['a1', 'a3']);
  void t.add('b1', true);
  await t.end('a3');
  expect(t.started).toEqual(['a1', 'a3', 'b1']);
  await t.end('a1');
  expect(t.started).toEqual(['a1', 'a3', 'b1', 'a2']);
});

test('where short tasks are spared, long ones of several workspaces leave them a place, and are bounded', async () => {
  const t = setUp(2, true);
  for (const name of ['a1', 'b1', 'c1']) void t.add(name, true);
  await setImmediate();
  expect(t.started).toEqual(['a1']);
  void t.add('d1');
  await t.end('a1');
  expect(t.started).toEqual(['a1', 'd1', 'b1']);
  for (let i = 2; i < 33; i++) void t.add(`b${i}`, true);
  await expect(t.add('b33', true)).rejects.toBeInstanceOf(BusyError);
  void t.add('b34');
  await t.end('d1');
  expect(t.started).toEqual(['a1', 'd1', 'b1', 'b34']);
});

test('with one place, a long task runs as well', async () => {
  const t = setUp(1);
  await t.add('a1', true);
  expect(t.started).toEqual(['a1']);
});

test('a workspace may have 64 tasks waiting, all of them 256, and then those with less than an equal part', async () => {
  const t = setUp(1);
  for (let i = 0; i < 65; i++) void t.add(`a${i}`);
  await expect(t.add('a65')).rejects.toBeInstanceOf(BusyError);
  for (const workspace of ['b', 'c', 'd']) for (let i = 0; i < 64; i++) void t.add(`${workspace}${i}`);
  // An owner is not refused because of what others have queued.
  void t.add('e0');
  await expect(t.add('b64')).rejects.toBeInstanceOf(BusyError);
  for (let i = 0; i < 5; i++) await t.end(t.started.at(-1) ?? '');
  expect(t.started.map((name) => name.charAt(0)).toSorted()).toEqual(['a', 'a', 'b', 'c', 'd', 'e']);
});

test('an aborted task leaves the queue; one aborted before it is queued takes no place', async () => {
  const t = setUp(1);
  await t.add('a1');
  const abort = new AbortController();
  const aborted = t.add('b1', false, abort.signal);
  void t.add('c1');
  abort.abort(new Error('given up'));
  await expect(aborted).rejects.toThrow('given up');
  await expect(t.add('b2', false, abort.signal)).rejects.toThrow('given up');
  await t.end('a1');
  expect(t.started).toEqual(['a1', 'c1']);
});

test('lanes of an owner are limited apart, and wait as many as each may; a lane that is free is taken at once', async () => {
  const queue = new FairQueue({ bounds: { each: 0, all: 3 } });
  const upload = { owner: 'a', lane: 'upload', atOnce: 1, waiting: 2 };
  const end = queue.take(upload);
  expect(queue.take(upload)).toBeUndefined();
  expect(queue.take({ ...upload, lane: 'search' })).toBeDefined();
  expect(queue.take({ ...upload, owner: 'b' })).toBeDefined();
  await expect(queue.waitForTurn({ ...upload, owner: 'b', waiting: 0 })).rejects.toMatchObject({ waiting: 0 });
  const turns: string[] = [];
  const wait = (name: string, task = upload) =>
    queue.waitForTurn(task).then((endTurn) => {
      turns.push(name);
      return endTurn;
    });
  const [first, second] = [wait('first'), wait('second')];
  await expect(wait('third')).rejects.toMatchObject({ name: 'BusyError', waiting: 2 });
  // All lanes of an owner count for its part of those that wait.
  void wait('other', { ...upload, lane: 'search' });
  await expect(wait('more', { ...upload, lane: 'search' })).rejects.toBeInstanceOf(BusyError);
  void wait('of b', { ...upload, owner: 'b' });
  end?.();
  await setImmediate();
  expect(turns).toEqual(['first']);
  (await first)();
  await second;
  expect(turns).toEqual(['first', 'second']);
});
