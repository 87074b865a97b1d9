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

const requests = { 'GET /workspace': '/workspace', 'GET /media': '/media', 'search by words': '/media/search?q=red' };

/** Processor time that a process has used so far, seconds. */
async function processorSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}

/** Requests a second that processes answer together, and processor time of them for each request, milliseconds. */
async function measure(urls: string[], path: string, key: string): Promise<{ perSecond: number; cpuMs: number }> {
  const before = await Promise.all(urls.map(processorSeconds));
  const begun = performance.now();
  let answered = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() - begun < seconds * 1000) {
        const response = await fetch(`${urls[client % urls.length]}/api/v1${path}`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        await response.arrayBuffer();
        if (response.status === 200) answered += 1;
        else if (response.status !== 429) throw new Error(`${path} was answered with ${response.status}.`);
      }
    }),
  );
  const perSecond = answered / ((performance.now() - begun) / 1000);
  const after = await Promise.all(urls.map(processorSeconds));
  const used = after.reduce((sum, each, i) => sum + each - (before[i] ?? 0), 0);
  return { perSecond, cpuMs: (1000 * used) / answered };
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
  for (let i = 0; i < 20; i++) {
    await makePhoto(folder.file(`${i}.png`), plain(200, i, 20));
    await client.waitUntilIndexed((await client.upload(folder.file(`${i}.png`))).data.id);
  }
  for (const worker of cluster.workers) await worker.stop();
  console.log('request\tAPI processes\trequests a second\tms of their processor time a request');
  for (const [name, path] of Object.entries(requests)) {
    const found = new Map<number, Awaited<ReturnType<typeof measure>>[]>([1, 2].map((count) => [count, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [count, results] of found) results.push(await measure(urls.slice(0, count), path, key));
    }
    for (const [count, results] of found) {
      const perSecond = median(results.map((each) => each.perSecond));
      const cpuMs = median(results.map((each) => each.cpuMs));
      console.log([name, count, Math.round(perSecond), cpuMs.toFixed(2)].join('\t'));
    }
  }
}
