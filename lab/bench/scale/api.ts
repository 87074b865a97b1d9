import { median } from '@media-search/search-engine/vectors';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { spawnProgram, waitForExit } from '../../../server/testing/programs.ts';
import { createTestClient } from '../../../server/testing/running-service.ts';
import { temporaryDatabase, testDatabaseUrl } from '../../../server/testing/temporary-database.ts';
import { createCluster } from '../../reliability/campaign/cluster.ts';

/** Requests that are in flight at once. */
const clients = 16;
const seconds = 4;
const rounds = 3;

/** A request of a client; `ids` are items, one for each client. */
type Request = (client: number, ids: string[]) => { path: string; init?: RequestInit };

const requests: Record<string, Request> = {
  'GET /workspace': () => ({ path: '/workspace' }),
  'GET /media': () => ({ path: '/media' }),
  'search by words': () => ({ path: '/media/search?q=red' }),
  'rename an item': (client, ids) => ({
    path: `/media/${ids[client]}`,
    init: {
      method: 'PATCH',
      body: JSON.stringify({ filename: `${Math.random()}.png` }),
      headers: { 'Content-Type': 'application/json' },
    },
  }),
};

/** What a process has counted so far: seconds of its processor time, of waiting for locks of workspaces, and for connections. */
async function readCounts(url: string): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const names = [
    'process_cpu_seconds_total',
    'media_search_workspace_lock_wait_seconds_total',
    'media_search_pool_wait_seconds_total',
  ];
  return names.map((name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]));
}

/** Requests a second that processes answer together, and for each their processor time and waiting, milliseconds. */
async function measure(urls: string[], request: Request, key: string, ids: string[]) {
  const before = await Promise.all(urls.map(readCounts));
  const begun = performance.now();
  let answered = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() - begun < seconds * 1000) {
        const { path, init = {} } = request(client, ids);
        const response = await fetch(`${urls[client % urls.length]}/api/v1${path}`, {
          ...init,
          headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${key}` },
        });
        await response.arrayBuffer();
        if (response.status === 200) answered += 1;
        else if (response.status !== 429) throw new Error(`${path} was answered with ${response.status}.`);
      }
    }),
  );
  const perSecond = answered / ((performance.now() - begun) / 1000);
  const after = await Promise.all(urls.map(readCounts));
  const [cpuMs = 0, lockMs = 0, poolMs = 0] = [0, 1, 2].map(
    (place) =>
      (1000 * after.reduce((sum, each, i) => sum + (each[place] ?? 0) - (before[i]?.[place] ?? 0), 0)) / answered,
  );
  return { perSecond, cpuMs, lockMs, poolMs };
}

/** Prints what one and two API processes answer on one PostgreSQL, by turns. The clients are in this process. */
export async function measureApi(): Promise<void> {
  if (testDatabaseUrl === undefined) throw new Error('The part api needs a PostgreSQL server: set TEST_DATABASE_URL.');
  await using folder = await temporaryFolder();
  await using database = await temporaryDatabase();
  const settings = {
    DATABASE_URL: database.url,
    EMBEDDER: 'descriptors',
    OCR: 'off',
    SPEECH: 'off',
    WORKERS: '1',
    REQUESTS_PER_MINUTE: '0',
    DATA_DIR: folder.file('data'),
    DRAIN_SECONDS: '0',
    SECRET_KEY_FILE: folder.file('secret.key'),
  };
  await using cluster = createCluster(folder.path, { apis: 2, workers: 1 }, settings);
  await Promise.all(cluster.members.map((member) => member.start()));
  const asked = await waitForExit(spawnProgram('admin', ['key'], settings));
  const key = asked.out.trim();
  const urls = cluster.apis.map((api) => api.url());
  const client = createTestClient(urls[0] ?? '', key);
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) {
    await makePhoto(folder.file(`${i}.png`), plain(200, i, 20));
    const { id } = (await client.upload(folder.file(`${i}.png`))).data;
    await client.waitUntilIndexed(id);
    ids.push(id);
  }
  for (const worker of cluster.workers) await worker.stop();
  console.log(
    'request\tAPI processes\trequests a second\tms of their processor time a request\twaiting for locks\tfor connections',
  );
  for (const [name, request] of Object.entries(requests)) {
    const found = new Map<number, Awaited<ReturnType<typeof measure>>[]>([1, 2].map((count) => [count, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [count, results] of found) results.push(await measure(urls.slice(0, count), request, key, ids));
    }
    for (const [count, results] of found) {
      const of = (field: 'perSecond' | 'cpuMs' | 'lockMs' | 'poolMs') => median(results.map((each) => each[field]));
      const times = (['cpuMs', 'lockMs', 'poolMs'] as const).map((field) => of(field).toFixed(2));
      console.log([name, count, Math.round(of('perSecond')), ...times].join('\t'));
    }
  }
}
