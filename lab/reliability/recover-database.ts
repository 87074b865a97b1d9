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

// oxlint-disable-next-line max-lines-per-function -- one story, told in its order
async function drill(): Promise<void> {
  const [lost, found] = [`${clusters}/lost`, base];
  const [before, after] = [await freePort(), await freePort()];
  run('initdb', '-A', 'trust', '--encoding=UTF8', '--locale=C', '-D', lost);
  startCluster(lost, before, 'wal_level=replica', 'archive_mode=on', `archive_command="cp %p ${archive}/%f"`);
  const data = folder.file('data');
  const settings = { ...campaignSettings, DATA_DIR: data };
  let service = await startServiceProcess({ ...settings, DATABASE_URL: urlOf(before) });
  const key = (await admin(data, ['key'], { settings: { DATABASE_URL: urlOf(before) } })).out.trim();
  const client = () => createTestClient(service.url, key);
  const upload = async (number: number): Promise<MediaItem> => {
    const file = await makeDistinctPhoto(folder.file(`photo-${number}.png`), number);
    return client().waitUntilIndexed((await client().upload(file)).data.id);
  };
  const half = Math.ceil(campaign.option('items') / 2);
  for (let i = 0; i < half; i++) await upload(i);
  run(
    'pg_basebackup',
    '-h',
    '127.0.0.1',
    '-p',
    String(before),
    '-U',
    'postgres',
    '-D',
    base,
    '-X',
    'none',
    '-c',
    'fast',
  );
  // What comes after the base backup is in the archive only.
  for (let i = half; i < campaign.option('items'); i++) await upload(i);
  const list = async () => (await client().get<MediaItem[]>('/media?per_page=100&sort=filename')).data;
  const find = async () =>
    (await client().get<SearchHit[]>('/media/search?q=photo&n=50')).data.map(({ id, score }) => [id, score]);
  const stateOf = (items: MediaItem[]) =>
    items.map(({ id, filename, status, chunk_count }) => [id, filename, status, chunk_count]);
  const [items, hits] = [await list(), await find()];
  const timelines = await ask(before, 'select id from timelines');
  await cp(data, folder.file('files'), { recursive: true });
  const moment = (await ask<{ now: string }>(before, 'select clock_timestamp()::text as now'))[0]?.now ?? '';
  await sleep(1000);

  // The accident, and then the loss.
  const [deleted, renamed] = items;
  await client().delete(`/media/${deleted?.id}`);
  await client().patch(`/media/${renamed?.id}`, { filename: 'wrong.png' });
  const later = await upload(1000);
  await ask(before, 'select pg_switch_wal()');
  await sleep(1500);
  await service.stop();
  stopCluster(lost, 'immediate');
  await rm(lost, { recursive: true });
  await rm(data, { recursive: true });
  await cp(folder.file('files'), data, { recursive: true });

  const begun = performance.now();
  const recovery = [
    `restore_command = 'cp ${archive}/%f %p'`,
    `recovery_target_time = '${moment}'`,
    `recovery_target_action = 'promote'`,
  ];
  await writeFile(`${found}/postgresql.auto.conf`, `${recovery.join('\n')}\n`);
  await writeFile(`${found}/recovery.signal`, '');
  if (isRoot) execFileSync('chown', ['-R', 'postgres', found]);
  startCluster(found, after, 'archive_mode=off');
  while ((await ask<{ busy: boolean }>(after, 'select pg_is_in_recovery() as busy'))[0]?.busy) await sleep(100);
  const recovered = performance.now() - begun;
  try {
    service = await startServiceProcess({ ...settings, DATABASE_URL: urlOf(after) });
    const [itemsAgain, hitsAgain] = [await list(), await find()];
    console.log(
      `recovered in ${(recovered / 1000).toFixed(1)} s, searched ${((performance.now() - begun) / 1000).toFixed(1)} s after the beginning`,
    );
    const compare = (what: string, one: unknown, other: unknown) => {
      if (JSON.stringify(one) !== JSON.stringify(other))
        violation(what, `${JSON.stringify(one)} became ${JSON.stringify(other)}`);
    };
    compare('items', stateOf(items), stateOf(itemsAgain));
    compare('hits', hits, hitsAgain);
    if (hits.length < items.length) violation('hits', `A search found ${hits.length} of ${items.length} items.`);
    for (const { id, size } of itemsAgain) {
      const { data: item } = await client().get<MediaItem>(`/media/${id}`);
      const bytes = (await (await fetch(item.download_url)).arrayBuffer()).byteLength;
      if (bytes !== size) violation('originals', `${id} has ${bytes} bytes of ${size}.`);
      count('items as they were');
    }
    const begunSince = (await ask<{ id: string }>(after, 'select id from timelines')).length - timelines.length;
    if (begunSince !== 1) violation('timelines', `${begunSince} timelines began.`);
    const again = await upload(1000);
    if (again.id === later.id) violation('later item', `${later.id} was there.`);
    if (!(await find()).some(([id]) => id === again.id)) violation('search', 'What is new is not found.');
  } finally {
    await service.stop();
    stopCluster(found, 'fast');
  }
}
