import { expect, test } from 'vitest';
import { takeSnapshot } from '../builder/built-index.ts';
import { buildIndex } from '../testing/built-index.ts';
import { createRandom, drawVector } from '../testing/random.ts';
import { buildTextSegment } from '../text/build-segment.ts';
import { memoryOf } from './index-memory.ts';

const random = createRandom(8);
const build = (count: number) =>
  buildIndex(
    Array.from({ length: count }, () => drawVector(random, 512)),
    512,
  );

test('the memory of an index grows with its slots by what a vector at half precision takes, and less than a third of that', async () => {
  const empty = memoryOf(takeSnapshot(await build(0)));
  expect(empty).toBeLessThan(1000);
  const [thousand, three] = [memoryOf(takeSnapshot(await build(1000))), memoryOf(takeSnapshot(await build(3000)))];
  const perSlot = (three - thousand) / 2000;
  expect(perSlot).toBeGreaterThan(2 * 512);
  expect(perSlot).toBeLessThan(1.3 * 2 * 512);
});

test('texts count as what their segments hold', async () => {
  const index = await build(3);
  const before = memoryOf(takeSnapshot(index));
  const texts = index.pendingTexts.map(() => ({
    texts: [{ source: 'speech' as const, text: 'three red cars' }],
    filename: '',
    tags: '',
  }));
  const steps = buildTextSegment(0, texts);
  let step = steps.next();
  while (!step.done) step = steps.next();
  index.textSegments = [step.value];
  // Three words of six bytes a posting, at least.
  expect(memoryOf(takeSnapshot(index)) - before).toBeGreaterThan(3 * 3 * 6);
});
