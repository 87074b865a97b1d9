import { expect, test } from 'vitest';
import { createBuiltIndex, putItem, takeSnapshot } from '../builder/built-index.ts';
import { createGraphScratch } from '../graph/search-graph.ts';
import { addRange, wordsFor } from '../index/slot-set.ts';
import { itemOf } from '../testing/built-index.ts';
import { createRandom, drawClusters } from '../testing/random.ts';
import { Accumulator } from '../text/accumulator.ts';
import { buildTextSegment, runToEnd } from '../text/build-segment.ts';
import { searchTexts } from '../text/search-texts.ts';
import { parseTextQuery } from '../text/text-query.ts';
import { allSources } from '../text/text-sources.ts';
import { fuse, leastScore, toVisualMatch } from './fuse.ts';
import { readIndex } from './index-reader.ts';
import { measure, openMemoryIndex } from './memory-index.ts';
import { runSearch } from './run-search.ts';
import type { ScoreTraits } from './score-traits.ts';
import type { SearchTask } from './search-tasks.ts';

const dimensions = 32;
const size = 5000;
const count = 20;
const random = createRandom(21);
const vectors = drawClusters(random, { count: size, clusters: 40, dimensions });
/** Words by the share of texts that hold them. */
const shares = { sea: 0.5, boat: 0.12, gull: 0.04, buoy: 0.01 };
const texts = vectors.map(() => ({
  texts: [
    {
      source: 'subtitle' as const,
      text: Object.entries(shares)
        .flatMap(([word, share]) => (random.next() < share ? [word] : []))
        .join(' '),
    },
  ],
  filename: 'x.mp4',
  tags: '',
}));
const traits: ScoreTraits = {
  mean: null,
  spread: 0.2,
  weakBelow: 2,
  chanceMargins: null,
  duplicateThresholds: { copy: 0.99, continuation: 0.98 },
  hasMeasuredThresholds: true,
};

const index = createBuiltIndex({ workspaceId: 'workspace', embedder: { id: 'test@1', dimensions } });
for (const [place, vector] of vectors.entries()) {
  await putItem(index, itemOf(`item-${place}`, [place]), () => Promise.resolve(new Map([[place, vector]])));
}
const textSegments = [runToEnd(buildTextSegment(0, texts))];
const reader = readIndex({ ...takeSnapshot(index), textSegments }, 1);
const parts = {
  scratch: createGraphScratch(),
  accumulator: new Accumulator(),
  catalog: {
    readTexts: (_workspaceId: string, numbers: number[]) => numbers.map(() => undefined),
    findLabels: () => [],
  },
};

/** The numbers and scores of the best hits by the scores of all chunks. */
async function rankAll({ vector, text }: Pick<SearchTask, 'text'> & { vector: Float32Array }) {
  const slots = [...vectors.keys()];
  const selected = new Uint32Array(wordsFor(size));
  addRange(selected, 0, size);
  const depth = { count: 1, enough: 0, labelled: [], selected, sources: allSources, readTexts: () => [] };
  const found = await searchTexts(textSegments, text, { ...depth, accumulator: new Accumulator() });
  const matches = await found.matchesOf(slots);
  const cosines = reader.compare(vector, slots);
  const background = measure(reader, vector, traits);
  const weakBelow = leastScore(traits, background, Math.max(...cosines), text.terms.length);
  return slots
    .map((slot) => ({
      number: slot,
      ...fuse(toVisualMatch(cosines[slot] as number, background), matches.get(slot) ?? null, weakBelow),
    }))
    .toSorted((a, b) => b.score - a.score || b.number - a.number)
    .slice(0, count);
}

test.each(['sea boat gull', 'sea boat gull buoy', 'boat gull', 'sea', 'gull'])(
  'the hits for “%s” are those that the scores of all chunks give, also where a text holds a part of the words and its image is only near',
  async (words) => {
    let [right, partial] = [0, 0];
    const queries = 40;
    for (let i = 0; i < queries; i++) {
      const vector = vectors[(i * 131) % size] as Float32Array;
      const text = { ...parseTextQuery(`${words} `), prefix: null };
      const task: SearchTask = {
        kind: 'search',
        labelVersion: 0,
        workspaceId: 'workspace',
        vector,
        meaning: null,
        excludedVectors: [],
        text,
        sources: allSources,
        filter: {},
        only: null,
        options: { count, dedupe: false },
        traits,
      };
      const times = {};
      const { hits } = await runSearch(await openMemoryIndex(reader, task, parts, times), task, times);
      const expected = await rankAll({ vector, text });
      const found = new Map(hits.slice(0, count).map(({ number, score }) => [number, score]));
      for (const { number, score } of expected) {
        if (!found.has(number)) continue;
        right += 1;
        expect(found.get(number)).toBeCloseTo(score, 10);
      }
      partial += hits.filter(({ text: held }) => held && held.terms.length < text.terms.length).length;
    }
    expect(right / (queries * count)).toBeGreaterThan(0.99);
    if (words.includes(' ')) expect(partial).toBeGreaterThan(0);
  },
);
