import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createWorkspace } from '../../../server/catalog/accounts/workspaces.ts';
import { childOptions, openCatalogAt, serviceOptions } from '../../../server/catalog/catalog-location.ts';
import { dialectOf } from '../../../server/catalog/dialect/dialect.ts';
import { claimJob, completeJob } from '../../../server/catalog/queue/job-queue.ts';
import type { Catalog } from '../../../server/catalog/schema.ts';
import { createSecrets } from '../../../server/platform/crypto/secrets.ts';
import { type CatalogLocation } from '../../../server/platform/storage/data-directory.ts';
import { temporaryDatabase, testDatabaseUrl } from '../../../server/testing/temporary-database.ts';

/** What the queue alone takes: jobs that several processes claim and end, and that do nothing. */

type Result = { jobs: number; cpuMs: number };

/** A worker process: it is told where the catalog is, and ends when no job is left. */
async function work(location: CatalogLocation): Promise<Result> {
  await using db = await openCatalogAt(location, childOptions);
  const before = process.cpuUsage();
  let jobs = 0;
  for (let job = await claimJob(db, String(process.pid)); job; job = await claimJob(db, String(process.pid))) {
    await completeJob(db, job, () => Promise.resolve(true));
    jobs += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return { jobs, cpuMs: (user + system) / 1000 };
}

async function addJobs(db: Catalog, workspaceId: string, round: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, i) => ({ id: `${round}-${i}`, sha256: `${round}-${i}` }));
  await sql`insert into media_items (workspace_id, filename, type, status, size, mime_type, created_at, updated_at, id, sha256)
    select ${workspaceId}, 'a.mp4', 'video', 'pending', 1, 'video/mp4', '2026', '2026', item.*
    from (${dialectOf(db).rowsIn({ id: 'text', sha256: 'text' }, items)}) as item`.execute(db);
  await sql`insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, id, 'index', 0, '{}', '2026' from media_items where id like ${`${round}-%`}`.execute(db);
}

/** Ends so many jobs by so many processes. @returns jobs a second, and processor time of the processes for each job */
async function measure(location: CatalogLocation, workers: number): Promise<{ perSecond: number; cpuMs: number }> {
  const children = Array.from({ length: workers }, () =>
    fork(import.meta.filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  const begun = performance.now();
  const results = await Promise.all(
    children.map(async (child: ChildProcess) => {
      child.send(location);
      const [result] = (await once(child, 'message')) as [Result];
      return result;
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  for (const child of children) child.kill();
  const jobs = results.reduce((sum, result) => sum + result.jobs, 0);
  return { perSecond: jobs / seconds, cpuMs: results.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / jobs };
}

/** Prints a table: SQLite, and PostgreSQL where `TEST_DATABASE_URL` names a server, in turns. */
export async function measureQueue(jobs = 1000): Promise<void> {
  await using folder = await temporaryFolder();
  await using database = testDatabaseUrl === undefined ? undefined : await temporaryDatabase();
  const locations: CatalogLocation[] = [
    { file: folder.file('catalog.db') },
    ...(database ? [{ url: database.url }] : []),
  ];
  console.log(
    `${jobs} jobs that do nothing\ncatalog\tworkers\tworkspaces\tjobs a second\tms of processor time of a worker a job`,
  );
  for (const workers of [1, 2, 4]) {
    for (const location of locations) {
      await using db = await openCatalogAt(location, serviceOptions);
      for (const workspaces of [1, 4]) {
        for (let i = 0; i < workspaces; i++) {
          const names = { workspace: 'W', owner: 'O' };
          const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), names);
          await addJobs(db, id, `${workers}-${workspaces}-${i}`, jobs / workspaces);
        }
        const { perSecond, cpuMs } = await measure(location, workers);
        console.log([dialectOf(db).name, workers, workspaces, Math.round(perSecond), cpuMs.toFixed(2)].join('\t'));
      }
    }
  }
}

if (process.send) {
  process.once('message', (location: CatalogLocation) => void work(location).then((result) => process.send?.(result)));
  process.send('ready');
}
