import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { openCatalog } from '../../server/catalog/open-catalog.ts';
import { claimJob, hasMoreUrgentJob, releaseJob, selectNextJob } from '../../server/catalog/queue/job-queue.ts';

/**
 * What taking a job costs where one workspace has queued a great many and others have one each, or a hundred, in processor time: the choice
 * alone, a claim that is put back (two transactions on disk), and the look for something more urgent.
 *
 *     npm run node -- lab/bench/job-claims.ts [--jobs 1000000]
 */

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '1000000' } } });

console.log(
  `${values.jobs} jobs of one workspace; processor time, ms\nothers\tjobs of each\tchoice\tclaim and release\tmore urgent?`,
);
for (const [others, each] of [
  [0, 1],
  [1, 1],
  [100, 1],
  [1000, 1],
  [10_000, 1],
  [10_000, 100],
] as const) {
  console.log((await measure(Number(values.jobs), others, each)).join('\t'));
}

async function measure(jobs: number, others: number, each: number): Promise<string[]> {
  await using folder = await temporaryFolder();
  await using db = await openCatalog(folder.file('catalog.db'));
  await sql`with recursive places (i) as (select 0 union all select i + 1 from places where i < ${others})
    insert into workspaces (id, name, plan_id, created_at) select printf('w%05d', i), 'W', 'self-hosted', '2026' from places`.execute(
    db,
  );
  await sql`with recursive places (i) as (select 1 union all select i + 1 from places where i < ${jobs})
    insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
    select 'w00000', printf('m%08d', i), 'a.mp4', 'video', 'complete', 1, 'video/mp4', i, '2026', '2026' from places`.execute(
    db,
  );
  await sql`with recursive places (i) as (select 1 union all select i + 1 from places where i < ${each})
    insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
    select id, printf('x%03d', i), 'a.mp4', 'video', 'complete', 1, 'video/mp4', i, '2026', '2026' from places, workspaces where id > 'w00000' and id < 'x'`.execute(
    db,
  );
  await sql`insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, id, 'ocr', 4, '{}', '2026' from media_items order by id`.execute(db);
  const claims = await processorMs(100, async () => {
    const job = await claimJob(db, 'bench');
    if (job) await releaseJob(db, job, 'stopped');
  });
  const choice = await processorMs(100, () => selectNextJob(db).execute(db));
  const urgent = await processorMs(100, () => hasMoreUrgentJob(db, { priority: 4 }));
  return [String(others), String(each), ...[choice, claims, urgent].map((ms) => ms.toFixed(2))];
}

/** Processor time of an action, milliseconds, a mean of many. */
async function processorMs(times: number, action: () => Promise<unknown>): Promise<number> {
  await action();
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}
