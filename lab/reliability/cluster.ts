import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { MediaItem } from '../../contract/media.ts';
import { checkers, makePhoto } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startS3Server } from '../../server/testing/s3-server.ts';
import { needsServer, temporaryDatabase, testDatabaseUrl } from '../../server/testing/temporary-database.ts';
import { startCampaign } from './campaign/campaign.ts';
import { checkCluster } from './campaign/check-cluster.ts';
import { createClusterClients } from './campaign/cluster-clients.ts';
import { createCluster } from './campaign/cluster.ts';
import { admin } from './campaign/service-process.ts';

/**
 * Two API processes and three workers on one database and one bucket. Eight clients upload and delete, while processes are killed with `kill -9` at
 * random and started again. A violation: something acknowledged is lost, an item is indexed twice or does not end, API processes give different
 * answers, a deleted item is seen after a second, files and rows differ, a job stays with a process that is gone.
 *
 *     TEST_DATABASE_URL=postgres://… npm run node -- lab/reliability/cluster.ts [--seed n] [--seconds n] [--uploads n] [--kills n]
 *
 * `--seconds`: how long processes are killed. `--kills`: at most so many. Uploads that are left then are done without kills.
 */

if (testDatabaseUrl === undefined) {
  console.error(`The campaign ${needsServer}.`);
  process.exit(1);
}
const campaign = startCampaign('cluster', { rounds: 1, seconds: 120, uploads: 500, kills: 1000, clients: 8 });
const { count, integer, option, pick, violation } = campaign;
await using folder = await temporaryFolder();
await using database = await temporaryDatabase();
await using bucket = await startS3Server();
const settings = {
  DATABASE_URL: database.url,
  ...bucket.environment,
  STORAGE_URL: 's3://media/cluster',
  WORKERS: '1',
  REQUESTS_PER_MINUTE: '0',
};
await using cluster = createCluster(folder.path, { apis: 2, workers: 3 }, settings);
const { members, apis } = cluster;
/** Starts of members that are under way. */
const starting = new Map<string, Promise<void>>();
// At once: only one of them makes the first workspace and the secret key.
await Promise.all(members.map((member) => member.start()));
const asked = await admin(folder.file('api1'), ['key'], {
  settings: { ...settings, SECRET_KEY_FILE: folder.file('secret.key') },
});
const key = asked.out.trim();
if (key === '') throw new Error(`There is no key: ${asked.err}`);
await makePhoto(folder.file('photo.png'), checkers(0), { width: 64, height: 64 });

const clients = await createClusterClients({ campaign, apis, key, photo: folder.file('photo.png') });
for (const _ of campaign.rounds()) {
  const ended = new AbortController();
  const working = clients.run({ clients: option('clients'), uploads: option('uploads') }).finally(() => ended.abort());
  await killAtRandom(AbortSignal.any([ended.signal, AbortSignal.timeout(option('seconds') * 1000)]));
  await startAll();
  await working;
  await waitUntilIndexed();
  const sql = new Client(database.url);
  await sql.connect();
  await checkCluster({ campaign, apis, key, clients, sql, objects: bucket.objects, prefix: 'cluster/' });
  await sql.end();
}
for (const member of members) {
  const status = await member.stop();
  if (status !== '0') violation('end', `${member.name} ended with ${status}: ${member.log().slice(-500)}`);
}
campaign.report();

async function killAtRandom(signal: AbortSignal): Promise<void> {
  for (let kills = 0; kills < option('kills') && !signal.aborted; kills++) {
    await sleep(500 + integer(2500), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const running = members.filter((each) => each.isRunning() && !starting.has(each.name));
    // With no process left the machine would only start processes.
    if (running.length < 2) continue;
    const member = pick(running);
    await member.kill();
    count(`kills of ${member.role} processes`);
    await sleep(integer(1000));
    // Beside what goes on: a start takes a second or two.
    void start(member);
  }
}

function start(member: (typeof members)[number]): Promise<void> {
  const known = starting.get(member.name);
  if (known) return known;
  const begun = member
    .start()
    .catch((error: unknown) => {
      // It may be killed while it starts.
      if (member.isRunning()) violation('start', `${member.name}: ${String(error).slice(0, 2000)}`);
    })
    .finally(() => starting.delete(member.name));
  starting.set(member.name, begun);
  return begun;
}

async function startAll(): Promise<void> {
  await Promise.all(starting.values());
  for (const member of members) if (!member.isRunning()) await start(member);
}

/** Waits until no item waits. One whose indexing was interrupted three times has ended in an error, and is tried again. */
async function waitUntilIndexed(): Promise<void> {
  const client = clients.clientOf(apis[0]);
  const settled = async () => {
    for (let i = 0; i < 360; i++) {
      const waiting = await Promise.all(
        ['pending', 'indexing'].map((status) =>
          client.get<MediaItem[], { total: number }>(`/media?per_page=1&status=${status}`),
        ),
      );
      if (waiting.every(({ meta }) => meta.total === 0)) return;
      await sleep(500);
    }
    violation('not indexed', 'Items wait after three minutes.');
  };
  await settled();
  for (const { id, error } of (await client.get<MediaItem[]>('/media?per_page=100&status=error')).data) {
    if (!error?.message) violation('error', `${id} has no message.`);
    if (error?.code !== 'indexing_failed') violation('error', `${id}: ${error?.code} ${error?.message}`);
    count('items tried again after three kills');
    await client.post(`/media/${id}/retry`, undefined);
  }
  await settled();
}
