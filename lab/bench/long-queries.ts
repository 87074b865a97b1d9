import { parseArgs } from 'node:util';
import { median } from '@media-search/search-engine/vectors';
import { createRandom, drawClusters } from '../../packages/search-engine/testing/random.ts';
import { searchOptions, setUpSearch, textEmbedder } from '../../server/testing/search-setup.ts';
import { seedChunks } from '../../server/testing/seed-chunks.ts';
import { perItem, textAt, wordAt } from './search/corpus.ts';
import { quantile } from './vectors.ts';

/**
 * How long single searches of one workspace take alone, and beside another workspace that sends 50 long queries a second, whether they are
 * answered in time or not. Both hold as many chunks; the engine is called in this process. Rounds alternate, the medians are compared.
 *
 *     npm run node -- lab/bench/long-queries.ts [--chunks 100000]
 */

const { values } = parseArgs({ options: { chunks: { type: 'string', default: '100000' } } });
const count = Number(values.chunks);
const rounds = 5;
const searchesPerRound = 40;
const queriesPerSecond = 50;

await using t = await setUpSearch();
const [mine, theirs] = [await t.addWorkspace('Mine'), await t.addWorkspace('Theirs')];
for (const [seed, workspaceId] of [mine, theirs].entries()) {
  const vectors = drawClusters(createRandom(seed), { count, clusters: 300, dimensions: textEmbedder.dimensions });
  await seedChunks(t.db, workspaceId, textEmbedder.id, { count, perItem }, (place) => ({
    vector: vectors[place] as Float32Array,
    text: textAt(place),
  }));
}
const engine = t.startEngine();
for (const workspaceId of [mine, theirs]) await engine.warm(workspaceId);

/** Four hundred words, of which as many as are taken are searched for. */
const longQuery = (i: number): string => Array.from({ length: 400 }, (_, k) => wordAt((7 * i + k) % 480)).join(' ');

/** Sends long queries at a fixed rate until it is told to stop. */
function flood(): { stop: () => Promise<{ sent: number; answered: number }> } {
  const running = new Set<Promise<unknown>>();
  let [sent, answered] = [0, 0];
  const began = performance.now();
  const answer = async (i: number): Promise<void> => {
    await engine.searchByText(theirs, longQuery(i), {}, searchOptions(20, true));
    answered += 1;
  };
  const timer = setInterval(() => {
    while (sent < ((performance.now() - began) * queriesPerSecond) / 1000) {
      const search = answer(sent);
      running.add(search);
      sent += 1;
    }
  }, 5);
  return {
    async stop() {
      clearInterval(timer);
      const inTime = answered;
      await Promise.all(running);
      return { sent, answered: inTime };
    },
  };
}

async function measure(): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < searchesPerRound; i++) {
    const began = performance.now();
    await engine.searchByText(mine, `${wordAt(20 + i)} ${wordAt(60 + i)}`, {}, searchOptions(20, true));
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
}

await measure();
const alone: number[] = [];
const beside: number[] = [];
let [sent, answered] = [0, 0];
for (let round = 0; round < rounds; round++) {
  alone.push(...(await measure()));
  const load = flood();
  beside.push(...(await measure()));
  const done = await load.stop();
  sent += done.sent;
  answered += done.answered;
}
const describe = (times: number[]): string =>
  `p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
console.log(`${count} chunks in each workspace`);
console.log(`alone: ${describe(alone)}`);
console.log(`beside ${queriesPerSecond} long queries a second of another workspace: ${describe(beside)}`);
console.log(
  `ratio of the medians: ${(median(beside) / median(alone)).toFixed(1)}; ${answered} of ${sent} long queries were answered in time`,
);
