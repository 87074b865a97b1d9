import { expect, test } from 'vitest';
import { goOffline } from '../../sources/source-state.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { claimJob, endJob, type Job, releaseJob } from '../queue/job-queue.ts';
import { addSource, changeSource, type SourceRow } from './sources.ts';

/** A source with items that wait to be indexed. */
async function setUp(backend: (typeof backends)[number], count: number) {
  const catalog = await openTestCatalog(backend);
  const { db, workspaceId, add } = catalog;
  const body = { name: 'NAS', location: '/mnt/nas', include: [], exclude: [] };
  const source = (await addSource(db, workspaceId, { ...body, kind: 'folder', managed: false })) as SourceRow;
  for (let i = 0; i < count; i++) {
    const { id } = await add();
    await db.updateTable('media_items').set({ source_id: source.id }).where('id', '=', id).execute();
  }
  return {
    ...catalog,
    source,
    pause: (paused: boolean) => changeSource(db, workspaceId, source.id, { paused }),
    claim: () => claimJob(db, 'w') as Promise<Job | undefined>,
  };
}

test.for(backends)(
  'a job that is under way when its source is paused waits once it is put back (%s)',
  async (backend) => {
    await using t = await setUp(backend, 2);
    const job = (await t.claim()) as Job;
    await t.pause(true);
    await t.pause(true);
    await releaseJob(t.db, job, 'stopped');
    expect(await t.claim()).toBeUndefined();
    await t.pause(false);
    expect((await t.claim())?.id).toBe(job.id);
    expect(await t.claim()).toBeDefined();
    expect(await t.claim()).toBeUndefined();
  },
);

test('one that is under way may end, and none takes over from a worker that died', async () => {
  await using t = await setUp('sqlite', 2);
  const [first, second] = [(await t.claim()) as Job, (await t.claim()) as Job];
  await goOffline(t.db, t.source, new Error('gone'));
  expect(await endJob(t.db, first)).toBe(true);
  await t.db
    .updateTable('jobs')
    .set({ lease_until: '2020-01-01T00:00:00.000Z' })
    .where('media_id', '=', second.id)
    .execute();
  expect(await t.claim()).toBeUndefined();
});
