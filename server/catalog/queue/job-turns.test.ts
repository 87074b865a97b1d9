import { sql } from 'kysely';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, elapse, indexed, openTestCatalog } from '../../testing/test-catalog.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { JobKind } from '../tables/jobs.ts';
import { completeExtraction } from './extraction-jobs.ts';
import { completeIndexing } from './indexing-jobs.ts';
import { maxAttempts, priorityOf } from './job-kinds.ts';
import {
  claimJob,
  hasLessServedJob,
  hasMoreUrgentJob,
  holdsUpOthers,
  type Job,
  releaseJob,
  releaseJobsOf,
} from './job-queue.ts';

afterEach(() => void vi.useRealTimers());

describe.each(backends)('over %s', (backend) => {
  /** A catalog with a busy workspace, which has so many jobs of a kind queued, and others. */
  async function setUp(queued: number, kind: JobKind = 'index') {
    const t = await openTestCatalog(backend);
    const items = Array.from({ length: queued }, (_, i) => {
      const name = `m${String(i + 1).padStart(7, '0')}`;
      return { workspace_id: t.workspaceId, id: name, sha256: name };
    });
    const { rowsIn } = dialectOf(t.db);
    await sql`
    insert into media_items (filename, type, status, size, mime_type, created_at, updated_at, workspace_id, id, sha256)
    select 'a.mp4', 'video', 'pending', 1, 'video/mp4', '2026', '2026', item.*
    from (${rowsIn({ workspace_id: 'text', id: 'text', sha256: 'text' }, items)}) item
  `.execute(t.db);
    await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, id, ${kind}, ${sql.lit(priorityOf(kind, 'video'))}, '{}', '2026-01-01' from media_items
  `.execute(t.db);
    return {
      ...t,
      /** Claims the next jobs. @returns of which workspaces they are */
      async claimSome(count: number, worker = 'a') {
        const claimed: Job[] = [];
        for (let i = 0; i < count; i++) claimed.push((await claimJob(t.db, worker)) as Job);
        return { claimed, owners: claimed.map(({ workspace_id }) => workspace_id) };
      },
    };
  }

  test('of two workspaces, one with a thousand jobs and one with one, each gets its turn; inside one the oldest comes first', async () => {
    await using t = await setUp(1000);
    const { claimed } = await t.claimSome(1);
    const other = await t.addWorkspace('Other');
    const late = await t.add('late.mp4', other.id);
    const next = await t.claimSome(3);
    expect(next.claimed.map(({ id }) => id)).toEqual([late.id, 'm0000002', 'm0000003']);
    expect(claimed.map(({ id }) => id)).toEqual(['m0000001']);
  });

  test('what hung comes after what others wait for', async () => {
    await using t = await setUp(1);
    const { claimed } = await t.claimSome(1);
    await releaseJobsOf(t.db, 'a', 'hung');
    const other = await t.addWorkspace('Other');
    const late = await t.add('late.mp4', other.id);
    const [urgent] = (await t.claimSome(1)).claimed;
    expect(urgent?.id).toBe(late.id);
    // Texts of videos come before it too.
    await completeIndexing(t.db, urgent as Job<'index'>, indexed([null]), ['ocr']);
    expect((await t.claimSome(1)).claimed[0]).toMatchObject({ id: late.id, kind: 'ocr' });
    const again = (await t.claimSome(1)).claimed[0] as Job;
    expect(again).toMatchObject({ id: claimed[0]?.id, kind: 'index', attempts: 2 });
    // It makes way for what comes then.
    expect(await hasMoreUrgentJob(t.db, again)).toBe(false);
    await t.add('later.mp4', other.id);
    expect(await hasMoreUrgentJob(t.db, again)).toBe(true);
  });

  test('one worker serves two workspaces by turns', async () => {
    await using t = await setUp(3);
    const other = await t.addWorkspace('Other');
    for (let i = 0; i < 3; i++) await t.add(`${i}.mp4`, other.id);
    const owners: string[] = [];
    for (let i = 0; i < 4; i++) {
      const job = await claim(t.db, 'a');
      owners.push(job.workspace_id);
      await completeIndexing(t.db, job, indexed(['x']));
    }
    expect(owners.slice(0, 2)).toEqual(expect.arrayContaining([t.workspaceId, other.id]));
    expect(owners.slice(2)).toEqual(owners.slice(0, 2));
  });

  test('who uploads again and again has its turn among the videos that are read too', async () => {
    await using t = await setUp(5, 'ocr');
    const other = await t.addWorkspace('Other');
    const film = await t.add('film.mp4', other.id);
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed(['x']), ['ocr']);
    const read = new Set<string>();
    for (let i = 0; i < 2; i++) {
      const reading = await claim(t.db, 'a', 'ocr');
      read.add(reading.id);
      const upload = await t.add(`${i}.mp4`, other.id);
      expect(await hasMoreUrgentJob(t.db, reading)).toBe(true);
      await releaseJob(t.db, reading, 'stopped');
      const indexing = await claim(t.db, 'a');
      expect(indexing.id).toBe(upload.id);
      await completeIndexing(t.db, indexing, indexed(['x']));
    }
    expect(read).toEqual(new Set(['m0000001', film.id]));
  });

  test('the workspace with the fewest running jobs comes first, then the one whose last claim is longest ago', async () => {
    await using t = await setUp(9);
    const [b, c] = [(await t.addWorkspace('B')).id, (await t.addWorkspace('C')).id];
    for (let i = 0; i < 5; i++) for (const id of [b, c]) await t.add(`${i}.mp4`, id);
    const { claimed, owners } = await t.claimSome(6);
    expect(owners.slice(0, 3).toSorted()).toEqual([t.workspaceId, b, c].toSorted());
    // In the second round in the same order.
    expect(owners.slice(3)).toEqual(owners.slice(0, 3));
    for (const job of claimed)
      if (job.workspace_id === c) await completeIndexing(t.db, job as Job<'index'>, indexed(['x']));
    // With two for each again, it is the turn of the first.
    expect((await t.claimSome(3)).owners).toEqual([c, c, t.workspaceId]);
    // A lease that has run out is held by nobody: all of them count as served alike, and what they held is taken up first.
    await elapse(t.db, 31);
    const again = await t.claimSome(6);
    expect(again.owners.slice(0, 3).toSorted()).toEqual([t.workspaceId, b, c].toSorted());
    expect(again.claimed.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  test('what is more urgent comes first, whoever has waited longer, and makes way for no more than that', async () => {
    await using t = await setUp(20, 'speech');
    const reading = await claim(t.db, 'a', 'speech');
    const other = await t.addWorkspace('Other');
    expect(await hasMoreUrgentJob(t.db, reading)).toBe(false);
    const upload = await t.add('urgent.mp4', other.id);
    expect(await hasMoreUrgentJob(t.db, reading)).toBe(true);
    await releaseJob(t.db, reading, 'stopped');
    const indexing = await claim(t.db, 'a');
    expect(indexing.id).toBe(upload.id);
    // The busy workspace uploads too: this is more urgent than its own speech, and than the other's texts.
    await completeIndexing(t.db, indexing, indexed(['x']), ['ocr', 'speech']);
    await t.add('more.mp4');
    expect((await claim(t.db, 'b')).workspace_id).toBe(t.workspaceId);
    // Then the texts of the other, which has nothing running.
    const ocr = await claim(t.db, 'a', 'ocr');
    expect(ocr.id).toBe(upload.id);
    await completeExtraction(t.db, ocr, { state: 'none', language: null, model: 'm', message: null, warning: null });
    expect((await claim(t.db, 'a', 'speech')).id).toBe(upload.id);
    // What made way goes on where it was, before younger jobs of its workspace.
    expect((await claim(t.db, 'a', 'speech')).id).toBe(reading.id);
  });

  test('a workspace whose jobs all wait, or are given up, holds up nobody', async () => {
    await using t = await setUp(2);
    const other = await t.addWorkspace('Other');
    await t.add('a.mp4', other.id);
    await t.db.updateTable('jobs').set({ attempts: maxAttempts }).where('media_id', '=', 'm0000001').execute();
    const failed = await claim(t.db, 'a');
    await releaseJob(t.db, failed, 'machine failed');
    const [next, none] = [await claimJob(t.db, 'a'), await claimJob(t.db, 'a')];
    expect(new Set([failed.workspace_id, next?.workspace_id])).toEqual(new Set([t.workspaceId, other.id]));
    expect(none).toBeUndefined();
  });

  test('the speech of one does not wait for the on-screen text of all videos of another', async () => {
    await using t = await setUp(1000, 'ocr');
    const other = await t.addWorkspace('Other');
    const film = await t.add('film.mp4', other.id);
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed(['x']), ['speech']);
    const { claimed } = await t.claimSome(2);
    expect(claimed.map(({ id, kind }) => [id, kind])).toContainEqual([film.id, 'speech']);
  });

  test('what takes long makes way where another workspace would be next without it', async () => {
    await using t = await setUp(20, 'speech');
    const [first, second] = [await claim(t.db, 'a', 'speech'), await claim(t.db, 'b', 'speech')];
    expect(await hasLessServedJob(t.db, first)).toBe(false);
    const other = await t.addWorkspace('Other');
    const films = [await t.add('a.mp4', other.id), await t.add('b.mp4', other.id)];
    for (const _ of films) await completeIndexing(t.db, await claim(t.db, 'c'), indexed(['x']), ['speech']);
    // Two run there and none here, although the last claim was here.
    expect(await hasLessServedJob(t.db, first)).toBe(true);
    await releaseJob(t.db, first, 'stopped');
    const third = await claim(t.db, 'a', 'speech');
    expect(third.workspace_id).toBe(other.id);
    // One of each: to change them round would change nothing.
    for (const job of [second, third]) expect(await hasLessServedJob(t.db, job)).toBe(false);
    // The other has its last claim later, so in one worker they take turns.
    await releaseJob(t.db, second, 'stopped');
    expect(await hasLessServedJob(t.db, third)).toBe(true);
    await releaseJob(t.db, third, 'stopped');
    expect((await claim(t.db, 'a', 'speech')).workspace_id).toBe(t.workspaceId);
  });

  test('a job holds up those of others that wait, and those that are more urgent, as long as it is under way', async () => {
    await using t = await setUp(3);
    const first = await claim(t.db, 'a');
    // Its own workspace waits as well.
    expect(await holdsUpOthers(t.db, first)).toBe(false);
    const other = await t.addWorkspace('Other');
    await t.add('b.jpg', other.id);
    expect(await holdsUpOthers(t.db, first)).toBe(true);
    // Also when the other had its turn later.
    const second = await claim(t.db, 'b');
    expect([second.workspace_id, await holdsUpOthers(t.db, first)]).toEqual([other.id, false]);
    await t.add('c.jpg', other.id);
    expect(await holdsUpOthers(t.db, first)).toBe(true);
    await releaseJob(t.db, first, 'stopped');
    expect(await holdsUpOthers(t.db, first)).toBe(false);
    // Another attempt at the same job is another.
    expect(await holdsUpOthers(t.db, { ...second, token: second.token - 1 })).toBe(false);
  });
});
