import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { descriptorsEmbedder } from '../../packages/models/descriptors/descriptors-embedder.ts';
import { createRandom, drawClusters } from '../../packages/search-engine/testing/random.ts';
import { listWorkspaces } from '../catalog/accounts/workspaces.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import { readGreeting, spawnProgram } from '../testing/programs.ts';
import { createTestClient, startServiceOn } from '../testing/running-service.ts';
import { seedChunks } from '../testing/seed-chunks.ts';

/** So many that the index is saved as soon as it is built. */
const count = 5500;
const { dimensions } = descriptorsEmbedder;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let indexes = '';

beforeAll(async () => {
  folder = await temporaryFolder();
  await (await startServiceOn(folder.path, { workers: 0 })).stop();
  const db = await openCatalog(catalogFile(folder.path));
  const [workspace] = await listWorkspaces(db);
  const workspaceId = workspace?.id ?? '';
  const vectors = drawClusters(createRandom(14), { count, clusters: 50, dimensions });
  await seedChunks(db, workspaceId, descriptorsEmbedder.id, { count, perItem: 5 }, (i) => ({
    vector: vectors[i] as Float32Array,
    text: i % 500 === 7 ? 'sextant' : 'harbour',
  }));
  await db.destroy();
  indexes = path.join(folder.path, 'indexes', workspaceId);
  // So that it is watched from the beginning.
  await mkdir(indexes, { recursive: true });
});

afterAll(() => folder[Symbol.asyncDispose]());

/** The program itself, which can be killed. */
async function startProgram() {
  const child = spawnProgram('main', [], { DATA_DIR: folder.path, PORT: '0', WORKERS: '1' });
  const { url, key } = await readGreeting(child);
  return { child, client: createTestClient(url, key) };
}

type Moment = (killed: Promise<unknown>) => Promise<void>;

/** The moment at which a file of an index is begun, or put in its place. */
const whenWritten =
  (name: RegExp): Moment =>
  async (ended) => {
    const stop = new AbortController();
    const written = new Promise<void>((resolve) => {
      watch(indexes, { signal: stop.signal }, (_, file) => name.test(file ?? '') && resolve());
    });
    await Promise.race([written, ended, delay(30_000)]);
    stop.abort();
  };

test.each<[string, Moment]>([
  ['begins to build the index', () => delay(5)],
  ['builds the index', () => delay(120)],
  ['begins to save the index', whenWritten(/\.new$/)],
  ['has saved the index', whenWritten(/\.index$/)],
  ['has an index and reads it', () => delay(20)],
])(
  'a service that is killed when it %s finds everything after its next start',
  async (name, moment) => {
    // The service of the test before saved one when it stopped.
    if (!name.startsWith('has an index')) for (const file of await readdir(indexes)) await rm(path.join(indexes, file));
    const first = await startProgram();
    const ended = once(first.child, 'exit');
    const reached = moment(ended);
    first.client.search('sextant').catch(() => undefined);
    await reached;
    first.child.kill('SIGKILL');
    await ended;
    const leftOver = new Set((await readdir(indexes)).filter((name) => name.endsWith('.new')));

    await using next = await startServiceOn(folder.path, { workers: 0 });
    const { client } = next;
    const { data, meta } = await client.search('sextant', '&n=50&dedupe=false');
    expect(meta).toBeDefined();
    const found = data.filter(({ signals }) => signals.terms?.includes('sextant'));
    expect(found).toHaveLength(11);
    expect(
      (await client.search('harbour', '&n=50')).data.filter(({ signals }) => signals.terms?.includes('harbour')),
    ).toHaveLength(50);
    // What the killed one left half-written is gone.
    expect((await readdir(indexes)).filter((name) => leftOver.has(name))).toEqual([]);
  },
  120_000,
);
