import { expect, test } from 'vitest';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { createBuiltIndex, putItem, removeItem, takeSnapshot } from '../builder/built-index.ts';
import { loadIndex, saveIndex } from '../builder/index-file.ts';
import { createGraphScratch } from '../graph/search-graph.ts';
import { readLinked } from '../index/index-memory.ts';
import { passageDimensions } from '../index/passage-memory.ts';
import { itemOf, linkUntil } from '../testing/built-index.ts';
import { createRandom } from '../testing/random.ts';
import { buildTextSegment, runToEnd } from '../text/build-segment.ts';
import { allSources, toSourceSet } from '../text/text-sources.ts';
import { toUnit } from '../vectors.ts';
import { findMeant } from './find-meant.ts';
import { readIndex } from './index-reader.ts';

const random = createRandom(7);
const draw = () => toUnit(Float32Array.from({ length: passageDimensions }, () => random.next() - 0.5));
const near = (vector: Float32Array, share: number) => {
  const other = draw();
  return toUnit(vector.map((value, i) => share * value + Math.sqrt(1 - share ** 2) * (other[i] as number)));
};
const query = draw();
const key = { workspaceId: 'workspace', embedder: { id: 'test@1', dimensions: 8 } };

/** An index of items with one chunk, whose number is the place, and one passage each; its number is a thousand more. */
async function build(vectors: Float32Array[]) {
  const index = createBuiltIndex(key);
  for (const [place, vector] of vectors.entries()) {
    const source = place % 2 === 0 ? 'speech' : 'ocr';
    const item = itemOf(`item-${place}`, [place], { passages: [{ number: 1000 + place, chunk: place, source }] });
    await putItem(
      index,
      item,
      () => Promise.resolve(new Map()),
      () => Promise.resolve(new Map([[1000 + place, vector]])),
    );
  }
  return index;
}

function search(index: Awaited<ReturnType<typeof build>>, sources = allSources, count = 10) {
  const reader = readIndex(takeSnapshot(index), 1);
  const live = reader.select({});
  if (!reader.passages) return [];
  const found = findMeant(reader.passages, createGraphScratch(), query, { live, chunks: live, sources, count });
  return [...found].map(([slot, passage]) => ({ chunk: reader.index.numbers[slot], ...passage }));
}

const others = Array.from({ length: 300 }, draw);

test('the chunk of the passage that means the same comes first and is clear; others are only the nearest', async () => {
  const [first, ...rest] = search(await build([...others, near(query, 0.6)]));
  expect(first).toMatchObject({ chunk: 300, number: 1300, isClear: true });
  expect(rest).toHaveLength(9);
  for (const { isClear, evidence } of rest) {
    expect(isClear).toBe(false);
    expect(evidence).toBeLessThan(first?.evidence as number);
  }
});

test('nothing is clear where nothing is about it', async () => {
  expect(search(await build(others)).filter(({ isClear }) => isClear)).toEqual([]);
});

test('only passages of the wanted sources count', async () => {
  const index = await build([...others, near(query, 0.6), near(query, 0.6)]);
  const numbersIn = (sources: number) => search(index, sources, 1).map(({ chunk }) => chunk);
  expect([numbersIn(toSourceSet(['speech'])), numbersIn(toSourceSet(['ocr']))]).toEqual([[300], [301]]);
});

test('a passage goes with its chunk, and another takes its place when the item changes', async () => {
  const index = await build([...others, near(query, 0.6)]);
  removeItem(index, 'item-300');
  expect(search(index).some(({ chunk }) => chunk === 300)).toBe(false);
  const changed = itemOf('item-5', [5], { passages: [{ number: 9000, chunk: 5, source: 'speech' }] });
  const vector = near(query, 0.6);
  await putItem(
    index,
    changed,
    () => Promise.resolve(new Map()),
    () => Promise.resolve(new Map([[9000, vector]])),
  );
  expect(search(index)[0]).toMatchObject({ chunk: 5, number: 9000, isClear: true });
});

test('a passage that is near to everything does not take the place of the one that is meant', async () => {
  // A crowd around one direction, all of it a little nearer to the query than the passage that stands for itself.
  const centre = near(query, 0.5);
  const crowd = Array.from({ length: 40 }, () => near(centre, 0.85));
  const [first] = search(await build([...others, ...crowd, near(query, 0.45)]));
  expect(first?.chunk).toBe(340);
});

test('a saved index has its passages again', async () => {
  await using folder = await temporaryFolder();
  const index = await build([...others, near(query, 0.6)]);
  const texts = { texts: [], filename: '', tags: '' };
  const size = index.slotCount;
  index.textSegments = [
    runToEnd(
      buildTextSegment(
        0,
        Array.from({ length: size }, () => texts),
      ),
    ),
  ];
  index.pendingTexts = [];
  linkUntil(index);
  if (index.passages) linkUntil(index.passages, 200);
  const file = folder.file('a.index');
  await saveIndex(file, index, { timeline: 'now', change: 1 });
  const loaded = await loadIndex(file, key);
  if (!loaded) throw new Error('It was not loaded.');
  expect(readLinked(loaded.index.passages?.open.header as Int32Array)).toBe(200);
  expect(search(loaded.index)).toEqual(search(index));
});
