import { setTimeout as delay } from 'node:timers/promises';
import type { ExtractionCheckpoint, ExtractionEnd } from '@media-search/media/extracted-text';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { recordOriginalCheck } from '../catalog/media/original-checks.ts';
import { completeIndexing } from '../catalog/queue/indexing-jobs.ts';
import { priorityOf } from '../catalog/queue/job-kinds.ts';
import { hasLessServedJob, hasMoreUrgentJob } from '../catalog/queue/job-queue.ts';
import { readExtractions } from '../catalog/texts/text-extractions.ts';
import { listSegments } from '../catalog/texts/text-segments.ts';
import { createJobContext, runJob } from '../testing/run-job.ts';
import { claim, indexed, openTestCatalog } from '../testing/test-catalog.ts';
import type { ReadingTask, TextReader } from './job-attempt.ts';
import { LeaseLostError, StoppedError } from './job-errors.ts';
import { recogniseText } from './recognise-text.ts';

const end: ExtractionEnd = { state: 'complete', language: 'en', model: 'test', message: null, warning: null };

/** A second of reading. */
const second = (at: number): ExtractionCheckpoint => ({
  segments: [{ start: at, end: at + 1, text: `second ${at}`, language: 'en', box: null, confidence: 1 }],
  position: at + 1,
});

/** A catalog with a complete item of three seconds, and a worker with a reader that says each second. */
async function setUp(more: { before?: (at: number, signal: AbortSignal) => unknown; isOff?: boolean } = {}) {
  const folder = await temporaryFolder();
  const t = await openTestCatalog();
  const { db, workspaceId } = t;
  const media = await t.add();
  await completeIndexing(db, await claim(db, 'a'), indexed([null, null, null]), ['speech']);
  const tasks: ReadingTask[] = [];
  const read: TextReader = async function* (task) {
    tasks.push(task);
    for (let at = task.position; at < 3; at++) {
      await more.before?.(at, task.signal);
      yield second(at);
    }
    yield end;
  };
  const context = createJobContext(db, folder.path, { readers: { ocr: null, speech: more.isOff ? null : read } });
  return {
    ...t,
    media,
    tasks,
    /** One attempt, settled as a worker does. @returns why it ended early */
    async attempt(): Promise<unknown> {
      const job = await claim(db, 'a', 'speech');
      return runJob(context, job, (attempt) => recogniseText(context, job, attempt), {
        shouldYield: () => hasMoreUrgentJob(db, job),
        isTurnOver: () => hasLessServedJob(db, job),
      });
    },
    jobs: () => db.selectFrom('jobs').select(['kind', 'attempts']).orderBy('kind').execute(),
    state: async () => (await readExtractions(db, workspaceId, [media.id])).get(media.id)?.speech,
    texts: async () =>
      (await listSegments(db, workspaceId, media.id, { page: 1, per_page: 100 })).rows.map(({ text }) => text),
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A second of work that may be aborted: the intervals of it pass at once. */
async function aSecondOf(signal: AbortSignal): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000);
  await delay(50);
  signal.throwIfAborted();
}
const fakeIntervals = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
afterEach(() => void vi.useRealTimers());

const everySecond = ['second 0', 'second 1', 'second 2'];

test('a reading makes way for a more urgent job after the checkpoint under way, and goes on from there', async () => {
  let isUploaded = false;
  await using t = await setUp({
    before: async (at) => {
      if (at === 1 && !isUploaded) await t.add('urgent.mp4');
      isUploaded ||= at === 1;
    },
  });
  expect(await t.attempt()).toBeInstanceOf(StoppedError);
  expect(await t.texts()).toEqual(['second 0', 'second 1']);
  // It was no failed attempt.
  expect(await t.jobs()).toEqual([
    { kind: 'index', attempts: 0 },
    { kind: 'speech', attempts: 0 },
  ]);
  await completeIndexing(t.db, await claim(t.db, 'a'), indexed([null]));
  expect(await t.attempt()).toBe(null);
  expect(t.tasks.map(({ position }) => position)).toEqual([0, 2]);
  expect(await t.texts()).toEqual(everySecond);
  expect(await t.state()).toMatchObject({ state: 'complete', language: 'en' });
  expect(await t.jobs()).toEqual([]);
});

test('a step under way makes way within a second, once: its next attempt goes on to the checkpoint', async () => {
  fakeIntervals();
  let uploads = 0;
  await using t = await setUp({
    async before(at, signal) {
      if (at !== 1) return;
      uploads += 1;
      await t.add(`urgent ${uploads}.mp4`);
      await aSecondOf(signal);
    },
  });
  expect(await t.attempt()).toBeInstanceOf(StoppedError);
  expect(await t.texts()).toEqual(['second 0']);
  await completeIndexing(t.db, await claim(t.db, 'a'), indexed([null]));
  expect(await t.attempt()).toBeInstanceOf(StoppedError);
  expect(await t.texts()).toEqual(['second 0', 'second 1']);
  expect(uploads).toBe(2);
});

test('workspaces take turns at the checkpoints of what takes long, and no step of theirs is lost twice', async () => {
  fakeIntervals();
  let uploading: { id: string } | undefined;
  await using t = await setUp({
    async before(at, signal) {
      if (at !== 1) return;
      await t.add('urgent.mp4', uploading?.id);
      await aSecondOf(signal);
    },
  });
  const other = await t.addWorkspace('Other');
  uploading = await t.addWorkspace('Uploading');
  await t.add('b.mp4', other.id);
  await completeIndexing(t.db, await claim(t.db, 'a'), indexed([null, null, null]), ['speech']);
  const attempt = async () => {
    const end = await t.attempt();
    for (let job = await claimUrgent(); job; job = await claimUrgent())
      await completeIndexing(t.db, job, indexed([null]));
    return end;
  };
  const claimUrgent = async () =>
    (await hasMoreUrgentJob(t.db, { priority: priorityOf('speech', 'video') })) ? claim(t.db, 'a') : null;
  for (let i = 0; i < 6; i++) expect(await attempt()).toBeInstanceOf(StoppedError);
  const places = t.tasks.map(({ media, position }) => `${media.id === t.media.id ? 'a' : 'b'}${position}`);
  expect(places).toEqual(['a0', 'b0', 'a1', 'b1', 'a1', 'b1']);
  expect(await t.texts()).toEqual(['second 0', 'second 1']);
});

test('an error between two checkpoints loses what came after the first', async () => {
  let isBroken = true;
  await using t = await setUp({
    before(at) {
      if (at === 2 && isBroken) throw new Error('the decoder crashed');
    },
  });
  expect(await t.attempt()).toMatchObject({ message: 'the decoder crashed' });
  expect(await t.state()).toMatchObject({ state: 'pending', position: 2 });
  isBroken = false;
  await t.db.updateTable('jobs').set({ available_at: null }).execute();
  expect(await t.attempt()).toBe(null);
  expect(await t.texts()).toEqual(everySecond);
});

test('an attempt whose item begins again meanwhile stores nothing more', async () => {
  await using t = await setUp({
    before: async (at) => {
      if (at === 1) await t.db.updateTable('jobs').set({ token: 999 }).execute();
    },
  });
  expect(await t.attempt()).toBeInstanceOf(LeaseLostError);
  expect(await t.texts()).toEqual(['second 0']);
});

test('an original that is known to be damaged is not read; without a reader the job goes and its item waits', async () => {
  await using t = await setUp();
  await recordOriginalCheck(t.db, t.media, 'original_damaged');
  expect(await t.attempt()).toBe(null);
  expect(t.tasks).toEqual([]);
  expect(await t.state()).toMatchObject({ state: 'failed', message: expect.stringMatching(/damaged/) as string });

  await using off = await setUp({ isOff: true });
  expect(await off.attempt()).toBe(null);
  expect(await off.jobs()).toEqual([]);
  expect(await off.state()).toMatchObject({ state: 'pending' });
});
