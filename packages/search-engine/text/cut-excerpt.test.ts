import { describe, expect, test } from 'vitest';
import { findMatches, toWantedPassages } from './find-matches.ts';
import { parseTextQuery } from './text-query.ts';

/** The excerpt of the best match, with what matched in square brackets. */
function excerpt(
  { text = '', ...texts }: { text?: string; filename?: string; tags?: string },
  query: string,
  corrections = [] as { from: string; to: string }[],
) {
  const line = {
    source: 'subtitle' as const,
    track: 0,
    start: 0,
    end: 2,
    language: null,
    box: null,
    confidence: null,
    text,
  };
  const all = { segments: [line], filename: 'x.mp4', tags: '', names: [], ...texts };
  const [best] = findMatches(all, toWantedPassages(parseTextQuery(query), corrections));
  return best ? best.excerpt.map((part) => (part.matched ? `[${part.text}]` : part.text)).join('') : null;
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`).join(' ');

test('marks each word in any form, and phrases as one', () => {
  expect(excerpt({ text: 'The red car, and other Cars.' }, 'red car ')).toBe('The [red] [car], and other [Cars].');
  expect(excerpt({ text: 'The red car, red and car.' }, '"red car"')).toBe('The [red car], red and car.');
  expect(excerpt({ text: 'Ein CAFÉ.' }, 'cafe ')).toBe('Ein [CAFÉ].');
});

test('marks the whole word of a prefix, only where no complete word matches', () => {
  expect(excerpt({ text: 'two boards' }, 'boar')).toBe('two [boards]');
  expect(excerpt({ text: 'boar on boards' }, 'boar')).toBe('[boar] on boards');
});

test('marks the word that was searched for instead of one with a typing error', () => {
  expect(excerpt({ text: 'the harbour' }, 'harbuor ', [{ from: 'harbuor', to: 'harbour' }])).toBe('the [harbour]');
});

test('null where nothing matches', () => {
  expect(excerpt({ text: 'the harbour' }, 'red')).toBeNull();
  expect(excerpt({ text: 'car, red' }, '"red car"')).toBeNull();
  expect(excerpt({ text: 'red' }, '')).toBeNull();
});

describe('of a long text', () => {
  test('twenty words around the matches', () => {
    expect(excerpt({ text: `${numbered(50)} red car ${numbered(50)}.` }, 'red car ')).toBe(
      '…n41 n42 n43 n44 n45 n46 n47 n48 n49 [red] [car] n0 n1 n2 n3 n4 n5 n6 n7 n8…',
    );
    expect(excerpt({ text: `(Red) ${numbered(50)}` }, 'red ')).toMatch(/^\(\[Red\]\) n0 .* n18…$/);
    expect(excerpt({ text: `${numbered(50)} red!` }, 'red ')).toMatch(/^…n31 .* n49 \[red\]!$/);
  });

  test('those that hold most terms', () => {
    const text = `red ${numbered(30)} car ${numbered(30)} a car that is red ${numbered(30)} red`;
    expect(excerpt({ text }, 'red car ')).toMatch(/^…n23 .* a \[car\] that is \[red\] n0 .* n7…$/);
  });

  test('a phrase longer than an excerpt is marked as a whole', () => {
    expect(excerpt({ text: `a ${numbered(30)} b` }, `"${numbered(30)}"`)).toBe(`…[${numbered(30)}]…`);
  });
});

describe('of a file name', () => {
  test.each([
    ['holidayParis.mov', 'paris ', 'holiday[Paris].mov'],
    ['holidayParis.mov', 'holidayparis ', '[holidayParis].mov'],
    ['IMG_2041.jpg', 'img2041 ', '[IMG_2041].jpg'],
    ['IMG_2041.jpg', 'img 2041 ', '[IMG]_[2041].jpg'],
    ['東京タワー.mp4', '東京 ', '[東京]タワー.mp4'],
    ['boards.mp4', 'boar', '[boards].mp4'],
  ])('%s by %s', (filename, query, expected) => expect(excerpt({ filename }, query)).toBe(expected));

  test('when it holds more terms than the text', () => {
    expect(excerpt({ text: 'a red day', filename: 'red_car.mp4' }, 'red car ')).toBe('[red]_[car].mp4');
    expect(excerpt({ text: 'a red day', filename: 'red.mp4' }, 'red ')).toBe('a [red] day');
    expect(excerpt({ text: 'a day', tags: 'Lisbon, red' }, 'red ')).toBe('Lisbon, [red]');
  });
});

test('a text in a script without spaces', () => {
  expect(excerpt({ text: '東京都庁の夜景がきれい' }, '夜景 ')).toBe('東京都庁の[夜景]がきれい');
  expect(excerpt({ text: '東京タワーの夜' }, '東京 ')).toBe('[東京]タワーの夜');
});

describe('of a text that is analysed in part', () => {
  const long = numbered(2000);

  test.each([
    ['red car ', `${long} red cars ${long}`, /^…n1991 .* n1999 \[red\] \[cars\] n0 .* n8…$/],
    ['happiness ', `${long} Happy ${long}`, /n1999 \[Happy\] n0/],
    ['cities ', `${long} The City.`, /^…n1982 .* The \[City\]\.$/],
    ['running ', `(He runs) ${long}`, /^\(He \[runs\]\) n0 .*…$/],
    ['cafe ', `${long} café`, /n1999 \[café\]$/],
    // Its first letters are others as they stand.
    ['elan ', `${long} élan`, null],
    ['夜景 ', `${'東京都庁'.repeat(1000)}夜景がきれい`, /^….*東京都庁\[夜景\]がきれい$/],
    ['lond', `${long} London ${long}`, /n1999 \[London\] n0/],
  ])('%s', (query, text, expected) => {
    if (expected === null) expect(excerpt({ text }, query)).toBeNull();
    else expect(excerpt({ text }, query)).toMatch(expected);
  });

  test('those that hold most terms', () => {
    const text = `red ${long} a car that is red ${long} red ${long} car`;
    expect(excerpt({ text }, 'red car ')).toMatch(/^…n19.* a \[car\] that is \[red\] n0 .*…$/);
  });

  test('begins with a whole word and character', () => {
    expect(excerpt({ text: `${'𠮷'.repeat(2000)} red` }, 'red ')).toMatch(/^…(𠮷)+ \[red\]$/u);
    expect(excerpt({ text: `${'longword '.repeat(500)}red` }, 'red ')).toMatch(/^…(longword )+\[red\]$/);
  });
});

test('a very long text takes little time', () => {
  const started = performance.now();
  expect(excerpt({ text: 'red '.repeat(1_000_000) }, 'red ')).toMatch(/^\[red\] .*…$/);
  expect(excerpt({ text: 'r'.repeat(1_000_000) }, 'red ')).toBeNull();
  expect(performance.now() - started).toBeLessThan(2000);
});
