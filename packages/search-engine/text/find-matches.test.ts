import { expect, test } from 'vitest';
import { findMatches, type FoundTexts, toWantedPassages } from './find-matches.ts';
import { parseTextQuery } from './text-query.ts';

type Segment = FoundTexts['segments'][number];

const segment = (source: Segment['source'], start: number, text: string, more: Partial<Segment> = {}): Segment => ({
  source,
  track: null,
  start,
  end: start + 2,
  language: null,
  box: null,
  confidence: null,
  text,
  ...more,
});

/** Each match as its source, its seconds and its passage, with what matched in square brackets. */
function find(texts: Partial<FoundTexts>, query: string): string[] {
  const all = { segments: [], filename: 'x.mp4', tags: '', names: [], ...texts };
  return findMatches(all, toWantedPassages(parseTextQuery(query), [])).map(({ source, start, end, excerpt }) => {
    const passage = excerpt.map(({ text, matched }) => (matched ? `[${text}]` : text)).join('');
    return `${source} ${start}-${end}: ${passage}`;
  });
}

const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.1 };

test('each passage has its own time, box and language', () => {
  const segments = [
    segment('speech', 12, 'The ferry leaves at nine', { language: 'en' }),
    segment('ocr', 14, 'FERRY', { box, confidence: 0.97 }),
  ];
  const found = findMatches(
    { segments, filename: 'ferry.mp4', tags: null, names: [] },
    toWantedPassages(parseTextQuery('ferry '), []),
  );
  expect(found).toMatchObject([
    { source: 'speech', start: 12, end: 14, language: 'en', box: null },
    { source: 'ocr', start: 14, end: 16, language: null, box },
    { source: 'filename', start: null, end: null, language: null, box: null },
  ]);
  expect(found.map((match) => Object.keys(match).toSorted())).toEqual(
    found.map(() => ['box', 'by', 'end', 'excerpt', 'language', 'source', 'start', 'uncertain']),
  );
});

test('what holds most words comes first, then what has a time, then the surer', () => {
  const segments = [
    segment('ocr', 1, 'harbour', { confidence: 0.8 }),
    segment('ocr', 9, 'harbour', { confidence: 0.9 }),
  ];
  expect(find({ segments, filename: 'harbour.mp4', tags: 'red harbour' }, 'red harbour ')).toEqual([
    'tag null-null: [red] [harbour]',
    'ocr 9-11: [harbour]',
    'filename null-null: [harbour].mp4',
  ]);
});

test('speech that may well be wrong says so, and comes after what is sure', () => {
  const segments = [
    segment('speech', 1, 'harbour in fog', { confidence: 0.41 }),
    segment('ocr', 4, 'harbour', { confidence: 0.41 }),
    segment('subtitle', 8, 'harbour'),
  ];
  const found = findMatches(
    { segments, filename: null, tags: null, names: [] },
    toWantedPassages(parseTextQuery('harbour '), []),
  );
  expect(found.map(({ source, uncertain }) => [source, uncertain])).toEqual([
    ['subtitle', false],
    ['ocr', false],
    ['speech', true],
  ]);
});

test('each source is shown before one is shown twice, and three passages at most', () => {
  const segments = [1, 4, 7, 10].map((start) => segment('speech', start, `harbour ${start}`));
  expect(find({ segments }, 'harbour ')).toEqual([
    'speech 1-3: [harbour] 1',
    'speech 4-6: [harbour] 4',
    'speech 7-9: [harbour] 7',
  ]);
  expect(find({ segments: [...segments, segment('ocr', 20, 'Harbour')] }, 'harbour ')).toEqual([
    'speech 1-3: [harbour] 1',
    'speech 4-6: [harbour] 4',
    'ocr 20-22: [Harbour]',
  ]);
});

test('two lines that follow each other are one passage where each holds other words', () => {
  const lines = [segment('speech', 1, 'The red'), segment('speech', 3, 'car is here'), segment('speech', 30, 'red')];
  expect(find({ segments: lines }, 'red car ')).toEqual(['speech 1-5: The [red] [car] is here', 'speech 30-32: [red]']);
  // A phrase goes on in the next line as well.
  expect(find({ segments: lines }, '"red car" red ')[0]).toBe('speech 1-5: The [red car] is here');
  const apart = [segment('speech', 1, 'The red'), segment('speech', 20, 'car is here')];
  expect(find({ segments: apart }, 'red car ')).toEqual(['speech 1-3: The [red]', 'speech 20-22: [car] is here']);
  const others = [segment('speech', 1, 'The red'), segment('ocr', 2, 'car')];
  expect(find({ segments: others }, 'red car ')).toHaveLength(2);
});

test('a phrase is one passage from its first line to its last, whatever the pauses', () => {
  const lines = [
    segment('speech', 1, 'I drink coffee'),
    segment('speech', 9, '–'),
    segment('speech', 12, 'My'),
    segment('speech', 30, 'grandmother drinks tea'),
  ];
  expect(find({ segments: lines }, '"coffee my grandmother" ')).toEqual([
    'speech 1-32: I drink [coffee – My grandmother] drinks tea',
  ]);
  // From where it begins, not from a line before that ends with the same word.
  expect(find({ segments: [segment('speech', 0, 'coffee'), ...lines] }, '"coffee my" ')).toEqual([
    'speech 1-14: I drink [coffee – My]',
  ]);
  expect(find({ segments: lines }, '"coffee grandmother" ')).toEqual([]);
  // Not from one track to another, nor from one sign to the next.
  const [first, second] = [
    segment('subtitle', 1, 'the red', { track: 1 }),
    segment('subtitle', 1, 'car', { track: 2 }),
  ];
  expect(find({ segments: [first, second] }, '"red car" ')).toEqual([]);
  expect(find({ segments: [first, second] }, 'red car ')).toHaveLength(2);
  expect(find({ segments: [first, { ...second, track: 1 }] }, '"red car" ')).toHaveLength(1);
  expect(find({ segments: [segment('ocr', 1, 'the red'), segment('ocr', 1, 'car')] }, '"red car" ')).toEqual([]);
});

test('two lines of a sign have the box around both', () => {
  const segments = [
    segment('ocr', 0, 'FERRY', { end: 0, box, confidence: 0.9 }),
    segment('ocr', 0, 'TERMINAL', { end: 0, box: { x: 0.15, y: 0.35, width: 0.5, height: 0.1 } }),
  ];
  const [match] = findMatches(
    { segments, filename: null, tags: null, names: [] },
    toWantedPassages(parseTextQuery('ferry terminal '), []),
  );
  expect(match).toMatchObject({ start: 0, end: 0 });
  expect(match?.box?.x).toBeCloseTo(0.1);
  expect(match?.box?.y).toBeCloseTo(0.2);
  expect(match?.box?.width).toBeCloseTo(0.55);
  expect(match?.box?.height).toBeCloseTo(0.25);
});

test('names are found by parts of their words', () => {
  const names = [
    { source: 'creator' as const, text: 'Ana Passer' },
    { source: 'collection' as const, text: 'Old Passersby' },
  ];
  expect(find({ names }, 'passer ')).toEqual([
    'creator null-null: Ana [Passer]',
    'collection null-null: Old [Passersby]',
  ]);
  expect(find({ names: [{ source: 'tag', text: 'Sunset' }] }, 'set ')).toEqual([]);
});

test('of many lines those are looked at in which most words seem to begin', () => {
  const segments = Array.from({ length: 2000 }, (_, i) =>
    segment('speech', 3 * i, i === 1500 ? 'red cars and harbours' : i % 2 === 0 ? 'a red house' : 'nothing at all'),
  );
  const began = performance.now();
  expect(find({ segments }, 'red car harbour ')[0]).toBe('speech 4500-4502: [red] [cars] and [harbours]');
  expect(performance.now() - began).toBeLessThan(200);
});
