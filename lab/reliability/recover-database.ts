import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { MediaItem } from '../../contract/media.ts';
import type { SearchHit } from '../../contract/search.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { makeDistinctPhoto } from '../../server/testing/photos.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import { admin, campaignSettings, startServiceProcess } from './campaign/service-process.ts';

/**
 * The drill of docs/operations.md: PostgreSQL goes back to a moment. A cluster of its own archives its WAL; a base backup is taken while a service
 * stores items; after the moment items are deleted, renamed and added; the cluster is lost; another is recovered from base and WAL to the moment, and the
 * service starts on it with the files of that moment, as a bucket with versions gives them back. A violation: anything that was acknowledged
 * before the moment is not as it was, something later is there, a search finds something else, or no other timeline begins.
 *
 *     npm run node -- lab/reliability/recover-database.ts [--items 12] [--seed n]
 *
 * Needs the programs of PostgreSQL 15 with pgvector, in `PG_BIN` or /usr/lib/postgresql/15/bin; as root it runs them as the user `postgres`.
 */

const campaign = startCampaign('recover-database', { rounds: 1, seconds: 600, items: 12 });
const { count, violation } = campaign;
const bin = process.env['PG_BIN'] ?? '/usr/lib/postgresql/15/bin';
await using folder = await temporaryFolder();
await chmod(folder.path, 0o711);
const [base, archive, clusters] = ['base', 'archive', 'clusters'].map((name) => folder.file(name)) as [
  string,
  string,
  string,
];

const isRoot = process.getuid?.() === 0;
const run = (program: string, ...args: string[]) => {
  const command = [`${bin}/${program}`, ...args];
  execFileSync(isRoot ? 'runuser' : (command.shift() ?? ''), isRoot ? ['-u', 'postgres', '--', ...command] : command, {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};
for (const each of [archive, clusters]) {
  await mkdir(each);
  if (isRoot) execFileSync('chown', ['postgres', each]);
}
if (isRoot) execFileSync('install', ['-d', '-m', '700', '-o', 'postgres', base]);

/** Data folders of clusters that run. However the drill ends, none goes on. */
const running = new Set<string>();
const stopCluster = (data: string, mode: 'fast' | 'immediate') => {
  running.delete(data);
  run('pg_ctl', '-D', data, '-m', mode, '-w', 'stop');
};
process.on('exit', () => {
  for (const data of running) stopCluster(data, 'immediate');
});

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};
const startCluster = (data: string, port: number, ...settings: string[]) => {
  running.add(data);
  const options = [
    `-p ${port}`,
    `-k ${clusters}`,
    '-c listen_addresses=127.0.0.1',
    ...settings.map((each) => `-c ${each}`),
  ];
  run('pg_ctl', '-D', data, '-l', `${clusters}/log-${port}`, '-w', '-o', options.join(' '), 'start');
};
const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`;
const ask = async <Row extends object>(port: number, statement: string): Promise<Row[]> => {
  const client = new Client(urlOf(port));
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
};

for (const _ of campaign.rounds()) await drill();
campaign.report();

type Service = Awaited<ReturnType<typeof startServiceProcess>>;
type Library = ReturnType<typeof openLibrary>;
/** What is asked of a library at a moment. */
type State = { items: MediaItem[]; hits: unknown[]; timelines: number };

async function drill(): Promise<void> {
  const [lost, recovered] = [`${clusters}/lost`, base];
  const [before, after] = [await freePort(), await freePort()];
  run('initdb', '-A', 'trust', '--encoding=UTF8', '--locale=C', '-D', lost);
  startCluster(lost, before, 'wal_level=replica', 'archive_mode=on', `archive_command="cp %p ${archive}/%f"`);
  const data = folder.file('data');
  const start = (port: number) =>
    startServiceProcess({ ...campaignSettings, DATA_DIR: data, DATABASE_URL: urlOf(port) });
  const first = await start(before);
  const key = (await admin(data, ['key'], { settings: { DATABASE_URL: urlOf(before) } })).out.trim();
  const library = openLibrary(first, key);
  await fill(library, before);
  const state = await readState(library, before);
  await cp(data, folder.file('files'), { recursive: true });
  const moment = (await ask<{ now: string }>(before, 'select clock_timestamp()::text as now'))[0]?.now ?? '';
  await sleep(1000);

  const later = await haveAccident(library, state, before);
  await first.stop();
  stopCluster(lost, 'immediate');
  await rm(lost, { recursive: true });
  await rm(data, { recursive: true });
  await cp(folder.file('files'), data, { recursive: true });

  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(1);
  await recover(recovered, after, moment);
  const recoveredAfter = seconds();
  let second: Service | undefined;
  try {
    second = await start(after);
    const again = openLibrary(second, key);
    const found = await readState(again, after);
    console.log(`recovered in ${recoveredAfter} s, searched ${seconds()} s after the beginning`);
    await check(again, state, found);
    await goOn(again, later);
  } finally {
    await second?.stop();
    stopCluster(recovered, 'fast');
  }
}

/** What the drill asks of a service. */
function openLibrary({ url }: Service, key: string) {
  const client = createTestClient(url, key);
  return {
    client,
    upload: async (number: number): Promise<MediaItem> => {
      const file = await makeDistinctPhoto(folder.file(`photo-${number}.png`), number);
      return client.waitUntilIndexed((await client.upload(file)).data.id);
    },
    list: async () => (await client.get<MediaItem[]>('/media?per_page=100&sort=filename')).data,
    find: async () =>
      (await client.get<SearchHit[]>('/media/search?q=photo&n=50')).data.map(({ id, score }) => [id, score]),
  };
}

/** Stores items, and takes a base backup in the middle: what comes after it is in the archive only. */
async function fill({ upload }: Library, port: number): Promise<void> {
  const all = campaign.option('items');
  const half = Math.ceil(all / 2);
  for (let i = 0; i < half; i++) await upload(i);
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  run('pg_basebackup', ...connection, '-D', base, '-X', 'none', '-c', 'fast');
  for (let i = half; i < all; i++) await upload(i);
}

async function readState({ list, find }: Library, port: number): Promise<State> {
  const timelines = await ask(port, 'select id from timelines');
  return { items: await list(), hits: await find(), timelines: timelines.length };
}

/** Deletes, renames and adds items, all of which goes to the archive. @returns the added one */
async function haveAccident({ client, upload }: Library, { items }: State, port: number): Promise<MediaItem> {
  const [deleted, renamed] = items;
  await client.delete(`/media/${deleted?.id}`);
  await client.patch(`/media/${renamed?.id}`, { filename: 'wrong.png' });
  const later = await upload(1000);
  await ask(port, 'select pg_switch_wal()');
  await sleep(1500);
  return later;
}

/** Recovers a cluster from base and WAL to a moment, and starts it. */
async function recover(data: string, port: number, moment: string): Promise<void> {
  const settings = [
    `restore_command = 'cp ${archive}/%f %p'`,
    `recovery_target_time = '${moment}'`,
    `recovery_target_action = 'promote'`,
  ];
  await writeFile(`${data}/postgresql.auto.conf`, `${settings.join('\n')}\n`);
  await writeFile(`${data}/recovery.signal`, '');
  if (isRoot) execFileSync('chown', ['-R', 'postgres', data]);
  startCluster(data, port, 'archive_mode=off');
  while ((await ask<{ busy: boolean }>(port, 'select pg_is_in_recovery() as busy'))[0]?.busy) await sleep(100);
}

/** Compares what is there with what was there at the moment. */
async function check({ client }: Library, before: State, after: State): Promise<void> {
  const compare = (what: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other))
      violation(what, `${JSON.stringify(one)} became ${JSON.stringify(other)}`);
  };
  const stateOf = (items: MediaItem[]) =>
    items.map(({ id, filename, status, chunk_count }) => [id, filename, status, chunk_count]);
  compare('items', stateOf(before.items), stateOf(after.items));
  compare('hits', before.hits, after.hits);
  if (before.hits.length < before.items.length)
    violation('hits', `A search found ${before.hits.length} of ${before.items.length} items.`);
  for (const { id, size } of after.items) {
    const { data: item } = await client.get<MediaItem>(`/media/${id}`);
    const bytes = (await (await fetch(item.download_url)).arrayBuffer()).byteLength;
    if (bytes !== size) violation('originals', `${id} has ${bytes} bytes of ${size}.`);
    count('items as they were');
  }
  const begun = after.timelines - before.timelines;
  if (begun !== 1) violation('timelines', `${begun} timelines began.`);
}

/** Stores an item that was lost once more: nothing is left of it, and it is found. */
async function goOn({ upload, find }: Library, later: MediaItem): Promise<void> {
  const again = await upload(1000);
  if (again.id === later.id) violation('later item', `${later.id} was there.`);
  if (!(await find()).some(([id]) => id === again.id)) violation('search', 'What is new is not found.');
}
