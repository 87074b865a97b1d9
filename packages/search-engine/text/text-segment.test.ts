import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { buildTextSegment, runToEnd } from './build-segment.ts';
import { mergeTextSegments } from './merge-segments.ts';
import { readTermPostings } from './term-postings.ts';
import {
  findPrefix,
  findStem,
  findTerm,
  type IndexedTexts,
  readTerm,
  termCount,
  type TextSegment,
} from './text-segment.ts';
import { allSources, sourceWeights, weightUnit } from './text-sources.ts';

/** A text of a chunk. */
const said = (text: string) => ({ source: 'subtitle' as const, text });
const nothing: IndexedTexts = { texts: [], filename: '', tags: '' };

const build = (...texts: string[]): TextSegment =>
  runToEnd(
    buildTextSegment(
      10,
      texts.map((text) => ({ ...nothing, texts: [said(text)] })),
    ),
  );

const termsOf = (segment: TextSegment): string[] =>
  Array.from({ length: termCount(segment) }, (_, term) => readTerm(segment, term));

const beginWith = (segment: TextSegment, prefix: string): string[] => {
  const { first, end } = findPrefix(segment, prefix);
  return termsOf(segment).slice(first, end);
};

test('terms are found whole and by how they begin', () => {
  // U+FA0E is before the letters beyond the basic plane in UTF-8, and after their surrogates in UTF-16.
  const segment = build('car cart ca b \u{20000} \ufa0e д ё 東京');
  expect(termsOf(segment)).toEqual(['b', 'ca', 'car', 'cart', 'д', 'е', '东京', '\ufa0e', '\u{20000}']);
  for (const [i, term] of termsOf(segment).entries()) expect(findTerm(segment, term)).toBe(i);
  expect(findTerm(segment, 'c')).toBe(-1);
  expect(findTerm(segment, 'carts')).toBe(-1);
  expect(beginWith(segment, 'ca')).toEqual(['ca', 'car', 'cart']);
  expect(beginWith(segment, 'cart')).toEqual(['cart']);
  expect(beginWith(segment, 'z')).toEqual([]);
  expect(beginWith(segment, '东')).toEqual(['东京']);
});

test('terms are found by their stem, with the number of documents', () => {
  const segment = build('running runs', 'run', 'runs', 'ponies', 'generously generous generate');
  const forms = (token: string) => {
    const { terms, frequency } = findStem(segment, token);
    return { terms: Array.from(terms, (term) => readTerm(segment, term)), frequency };
  };
  expect(forms('runs')).toEqual({ terms: ['run', 'running', 'runs'], frequency: 3 });
  expect(forms('pony')).toEqual({ terms: ['ponies'], frequency: 1 });
  expect(forms('generously')).toEqual({ terms: ['generously', 'generous', 'generate'].toSorted(), frequency: 1 });
  expect(forms('zebra')).toEqual({ terms: [], frequency: 0 });
});

test('a word is counted by the text that holds it', () => {
  const segment = runToEnd(
    buildTextSegment(0, [
      { texts: [said('red red car')], filename: 'Red.mp4', tags: 'red' },
      { texts: [said('blue')], filename: 'Red.mp4', tags: 'red' },
    ]),
  );
  const label = sourceWeights.filename + sourceWeights.tag;
  const { slots, weights } = readTermPostings(segment, findTerm(segment, 'red'), allSources);
  expect([[...slots], [...weights]]).toEqual([
    [0, 1],
    [2 * sourceWeights.subtitle + label, label].map((weight) => weight / weightUnit),
  ]);
  expect([...segment.lengths]).toEqual([5, 3]);
  expect(segment).toMatchObject({ documentCount: 2, totalLength: 8 });
});

test('merging drops what was deleted, and keeps slots', () => {
  const first = build('red car', 'blue boat');
  const second = runToEnd(buildTextSegment(12, [{ ...nothing, texts: [said('red sun')] }]));
  const merged = runToEnd(mergeTextSegments([first, second], (slot) => slot === 10));
  expect(termsOf(merged)).toEqual(['blue', 'boat', 'red', 'sun']);
  expect([...readTermPostings(merged, findTerm(merged, 'red'), allSources).slots]).toEqual([2]);
  expect(merged).toMatchObject({ firstSlot: 10, slotCount: 3, documentCount: 2, totalLength: 4 });
  expect([...merged.lengths]).toEqual([0, 2, 2]);
});

test('another thread gets the same memory', () => {
  const segment = build('red car');
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(segment);
  const received = (receiveMessageOnPort(port2) as { message: TextSegment }).message;
  port1.close();
  expect(received).toEqual(segment);
  segment.termBytes[0] = 0;
  expect(received.termBytes[0]).toBe(0);
});

test('building and merging go in steps, however long a text is', () => {
  const countSteps = (steps: Generator<void, TextSegment>): number => {
    let count = 0;
    while (steps.next().done !== true) count++;
    return count;
  };
  const long = Array.from({ length: 200_000 }, (_, i) => `w${i % 50_000}`).join(' ');
  expect(countSteps(buildTextSegment(0, [{ texts: [said(long)], filename: '', tags: long }]))).toBeGreaterThan(400);
  expect(countSteps(mergeTextSegments([build(long)], () => false))).toBeGreaterThan(50);
});
