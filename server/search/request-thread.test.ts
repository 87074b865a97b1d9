import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom, drawClusters } from '../../packages/search-engine/testing/random.ts';
import { searchOptions, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';

test('while the index of one workspace is built this thread is free, and what another one stores is found at once', async () => {
  await using t = await setUpSearch();
  const { db } = t;
  const [large, small] = [await t.addWorkspace('Large'), await t.addWorkspace('Small')];
  const count = 30_000;
  const vectors = drawClusters(createRandom(15), { count, clusters: 100, dimensions: textEmbedder.dimensions });
  const seed = (workspaceId: string, count: number, text: string) =>
    seedChunks(db, workspaceId, textEmbedder.id, { count, perItem: 10 }, (i) => ({
      vector: vectors[i] as Float32Array,
      text: `${text} ${i % 1000}`,
    }));
  await seed(large, count, 'lighthouse harbour sextant walrus red car');
  await seed(small, 20, 'harbour');
  const engine = t.startEngine();
  const search = async (word: string) => (await engine.searchByText(small, word, {}, searchOptions(5))).hits.length;
  expect(await search('harbour')).toBe(5);

  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const before = { all: process.cpuUsage(), own: process.threadCpuUsage(), began: performance.now() };
  // Nothing else is done here meanwhile, so what this thread does is done for the index.
  await engine.warm(large);
  const sum = ({ user, system }: { user: number; system: number }) => user + system;
  const own = sum(process.threadCpuUsage(before.own));
  const all = sum(process.cpuUsage(before.all));
  const took = performance.now() - before.began;
  delays.disable();
  // In processor time, which says the same on a busy machine.
  expect(own).toBeLessThan(all / 10);
  expect(delays.max / 1e6).toBeLessThan(Math.max(200, took / 4));

  // Another engine builds it as well: the other workspace's searches, and updates of its index, go on.
  const second = t.startEngine();
  const built = new AbortController();
  const again = second.warm(large).finally(() => built.abort());
  await delay(1);
  let found = 0;
  for (let round = 0; !built.signal.aborted && round < 5; round++) {
    const word = `zebra${'abcde'[round]}`;
    await seed(small, 1, word);
    const { hits } = await second.searchByText(small, word, {}, searchOptions(5));
    expect(hits[0]?.signals.terms).toEqual([word]);
    found += 1;
  }
  expect(built.signal.aborted).toBe(false);
  expect(found).toBe(5);
  await again;
}, 180_000);
