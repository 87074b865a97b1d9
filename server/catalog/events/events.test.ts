import { afterEach, describe, expect, test, vi } from 'vitest';
import { event as eventSchema, type Event } from '../../../contract/events.ts';
import { type Backend, backends } from '../../testing/fresh-catalog.ts';
import { claim, elapse, indexed, openTestCatalog, reload } from '../../testing/test-catalog.ts';
import { changeMedia, deleteMedia, retryMedia } from '../media/media-items.ts';
import { recordOriginalCheck } from '../media/original-checks.ts';
import { replaceIndexedMedia } from '../media/store-indexed-media.ts';
import { moveToTrash, restoreFromTrash } from '../media/trash.ts';
import { completeIndexing, failIndexing, reportProgress } from '../queue/indexing-jobs.ts';
import { claimJob, releaseAllJobs, releaseJob } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import {
  deleteOldEvents,
  findEventNumber,
  listEventsAfter,
  readLastEventNumber,
  readLastKeptId,
  recordEvent,
} from './events.ts';

afterEach(() => void vi.useRealTimers());

const error = { code: 'unreadable_media', message: 'This file is damaged.' };

/** What an event says, in short. */
function summarise({ type, data }: Event): string {
  if (!('media' in data) || !('status' in data.media)) return type;
  const { status, progress } = data.media;
  const at = progress ? ` ${progress.stage} ${progress.fraction}` : '';
  return type === 'media.progress' ? `${status}${at}` : `${type} ${status}${at}`;
}

async function setUp(backend: Backend) {
  const t = await openTestCatalog(backend);
  const { db, workspaceId } = t;
  const read = (after = 0) => listEventsAfter(db, workspaceId, after, 1000);
  return {
    ...t,
    read,
    /** What an action records, in short. */
    async recordedBy(action: (db: Catalog) => Promise<unknown>): Promise<string[]> {
      const before = await readLastEventNumber(db, workspaceId);
      await action(db);
      return (await read(before)).map(summarise);
    },
  };
}

describe.each(backends)('on %s', (backend) => {
  test('everything that happens to an item is recorded, once, in its order', async () => {
    await using t = await setUp(backend);
    const { db, workspaceId } = t;
    expect(await t.recordedBy(() => t.add())).toEqual(['media.created pending queued 0']);
    let job = await claim(db, 'w');
    expect(await t.recordedBy(() => releaseJob(db, job, 'stopped'))).toEqual(['pending queued 0']);
    expect(await t.recordedBy(async () => (job = await claim(db, 'w')))).toEqual(['indexing queued 0']);
    // Each stage and each tenth, however often it is reported.
    expect(
      await t.recordedBy(async () => {
        for (const at of [0, 0.04, 0.09, 0.1, 0.15, 0.31]) await reportProgress(db, job, 'reading', at);
        await reportProgress(db, job, 'analysing', 0.32);
      }),
    ).toEqual(['indexing reading 0', 'indexing reading 0.1', 'indexing reading 0.31', 'indexing analysing 0.32']);
    expect(await t.recordedBy(() => failIndexing(db, job, error))).toEqual(['media.failed error']);
    expect(await t.recordedBy(() => retryMedia(db, workspaceId, job.id, []))).toEqual(['pending queued 0']);
    job = await claim(db, 'w');
    expect(await t.recordedBy(() => completeIndexing(db, job, indexed(['one'])))).toEqual(['media.completed complete']);
    const complete = await reload(db, job);
    const again = (row = complete) => replaceIndexedMedia(db, row, indexed(['two']), 99);
    expect(await t.recordedBy(() => again())).toEqual(['media.completed complete']);
    // Not by who lost against another.
    expect(await t.recordedBy(() => again({ ...complete, indexed_at: complete.created_at }))).toEqual([]);
    expect(
      await t.recordedBy(async () => {
        await changeMedia(db, workspaceId, job.id, { filename: 'other.mp4' });
        await recordOriginalCheck(db, await reload(db, job), 'original_missing');
        await moveToTrash(db, workspaceId, [job.id]);
        await restoreFromTrash(db, workspaceId, [job.id]);
      }),
    ).toEqual([]);
    expect(await t.recordedBy(() => deleteMedia(db, workspaceId, job.id))).toEqual(['media.deleted complete']);
    // What is settled has no progress any more.
    const log = await t.read();
    expect(log.map(summarise)).toEqual([
      'media.created pending queued 0',
      'media.failed error',
      'media.completed complete',
      'media.completed complete',
      'media.deleted complete',
    ]);
    expect(log.map((each) => eventSchema.parse(each).id)).toEqual(log.map(({ id }) => id));
    expect(new Set(log.map(({ id }) => id)).size).toBe(5);
    for (const { id, timestamp } of log) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Math.abs(parseInt(id.replace('-', '').slice(0, 12), 16) - Date.parse(timestamp))).toBeLessThan(1000);
    }
    expect(log[1]?.data).toMatchObject({ media: { id: job.id, filename: 'RedCar_02.mp4', error, progress: null } });
    expect(log[4]?.data).toMatchObject({
      media: { filename: 'other.mp4', created_at: complete.created_at, creator_id: null },
    });
  });

  test('workers that die until the attempts are used up fail the item, and one that comes late records nothing', async () => {
    await using t = await setUp(backend);
    const { db } = t;
    const media = await t.add();
    const late = await claim(db, 'a');
    await elapse(db, 31);
    expect(await t.recordedBy(() => claim(db, 'b'))).toEqual([]);
    const attempts = await t.recordedBy(async () => {
      expect(await reportProgress(db, late, 'rendering', 0.9)).toBe(false);
      expect(await completeIndexing(db, late, indexed(['late']))).toBe(null);
      expect(await failIndexing(db, late, error)).toBe(false);
      expect(await releaseJob(db, late, 'broke off')).toBe(false);
    });
    expect(attempts).toEqual([]);
    await elapse(db, 31);
    await claim(db, 'c');
    await elapse(db, 31);
    expect(await t.recordedBy(() => claimJob(db, 'd'))).toEqual(['media.failed error']);
    // A service that starts after it was killed.
    await retryMedia(db, t.workspaceId, media.id, []);
    await claim(db, 'e');
    expect(await t.recordedBy(() => releaseAllJobs(db, 'broke off'))).toEqual(['pending queued 0']);
    expect(await t.recordedBy(() => deleteMedia(db, t.workspaceId, media.id))).toEqual([
      'media.deleted pending queued 0',
    ]);
  });

  test('what is rolled back leaves nothing, and workspaces have logs of their own that go with them', async () => {
    await using t = await setUp(backend);
    const { db, workspaceId } = t;
    const other = await t.addWorkspace('Other');
    const media = await t.add('theirs.mp4', other.id);
    expect(await t.read()).toEqual([]);
    const data = {
      saved_search: { id: media.id, name: 'Ferries' },
      media: { id: media.id, filename: 'theirs.mp4', type: 'video' as const },
      hits: [{ start: 1, end: 2.5, score: 0.5 }],
    };
    await expect(
      db.transaction().execute(async (transaction) => {
        await recordEvent(transaction, workspaceId, 'search.saved_match', data);
        throw new Error('not today');
      }),
    ).rejects.toThrow('not today');
    expect(await readLastEventNumber(db, workspaceId)).toBe(0);
    expect(await readLastKeptId(db, workspaceId, 0)).toBe(null);
    await recordEvent(db, workspaceId, 'search.saved_match', data);
    const [match] = await t.read();
    expect(eventSchema.parse(match)).toMatchObject({ type: 'search.saved_match', data });
    expect(await findEventNumber(db, other.id, match?.id ?? '')).toBeUndefined();
    expect(await findEventNumber(db, workspaceId, match?.id ?? '')).toBe(match?.number);
    await db.deleteFrom('workspaces').where('id', '=', other.id).execute();
    const left = await db.selectFrom('events').select('type').execute();
    expect(left).toEqual([{ type: 'search.saved_match' }]);
  });

  test('the log is resumed from an event that stays, and loses what is old from its beginning on', async () => {
    await using t = await setUp(backend);
    const { db, workspaceId } = t;
    for (let i = 0; i < 4; i++) await t.add(`${i}.mp4`);
    await claim(db, 'w');
    const log = await t.read();
    const last = log.at(-1)?.number ?? 0;
    expect(log.map(({ number }) => number)).toEqual(log.map(({ number }) => number).toSorted((a, b) => a - b));
    expect(await readLastKeptId(db, workspaceId, last)).toBe(log[3]?.id);
    expect(await readLastKeptId(db, workspaceId, log[1]?.number ?? 0)).toBe(log[1]?.id);
    expect((await listEventsAfter(db, workspaceId, log[0]?.number ?? 0, 2)).map(({ id }) => id)).toEqual([
      log[1]?.id,
      log[2]?.id,
    ]);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const setTime = (i: number, time: string) =>
      db
        .updateTable('events')
        .set({ created_at: time })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', log[i]?.id ?? '')
        .execute();
    // By a clock that was set back between the first two.
    await setTime(1, daysAgo(7.1));
    await setTime(2, daysAgo(6.9));
    await deleteOldEvents(db, new AbortController().signal);
    expect((await t.read()).map(({ id }) => id)).toEqual(log.slice(2).map(({ id }) => id));
    expect(await findEventNumber(db, workspaceId, log[0]?.id ?? '')).toBeUndefined();
  });
});
