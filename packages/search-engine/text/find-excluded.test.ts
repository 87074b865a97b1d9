import { expect, test } from 'vitest';
import { buildTextSegment, runToEnd } from './build-segment.ts';
import { findExcluded } from './find-excluded.ts';
import { createTextLoader } from './phrases.ts';
import { allSources, toSourceSet } from './text-sources.ts';

const texts = ['red car', 'blue cars', 'car red', 'boat', 'a red carpet', 'at night'].map((text, i) => ({
  texts: [{ source: i === 5 ? ('ocr' as const) : ('speech' as const), text }],
  filename: i === 3 ? 'sunset.mp4' : 'x.mp4',
  tags: '',
}));
const segments = [runToEnd(buildTextSegment(0, texts.slice(0, 2))), runToEnd(buildTextSegment(2, texts.slice(2)))];
const all = [...texts.keys()];
const find = async (excluded: string[], slots = all, sources = allSources) => {
  const read = createTextLoader((some) => some.map((slot) => texts[slot]), sources);
  return [...(await findExcluded(segments, excluded, slots, read, sources))];
};

test('slots that hold a word in any form, in any of their texts', async () => {
  expect(await find(['car'])).toEqual([0, 1, 2]);
  expect(await find(['sunsets'])).toEqual([3]);
  expect(await find(['car', 'night'], [2, 4, 5])).toEqual([2, 5]);
});

test('slots that hold a phrase, not its words apart', async () => {
  expect(await find(['red car'])).toEqual([0]);
  expect(await find(['red car', 'boat'])).toEqual([0, 3]);
});

test('nothing holds what has no words or is not there', async () => {
  expect(await find(['!?', 'zebra', 'red zebra'])).toEqual([]);
});

test('only texts of the sources that are searched exclude', async () => {
  expect(await find(['car', 'night', 'sunset'], all, toSourceSet(['ocr']))).toEqual([5]);
  expect(await find(['red car', 'sunset'], all, toSourceSet(['filename']))).toEqual([3]);
  expect(await find(['red car'], all, toSourceSet(['speech', 'tag']))).toEqual([0]);
});
