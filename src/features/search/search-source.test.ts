import { expect, test } from 'vitest';
import { paths } from '../../paths.ts';
import { keepQueryImage } from './query-images.ts';
import { readSource } from './search-source.ts';

/** What a link within the dashboard searches by. */
const follow = (link: string) => {
  const { pathname, searchParams } = new URL(link, 'http://dashboard');
  expect(pathname).toBe('/search');
  return readSource(searchParams);
};

test.each(['blue sky', 'a+b & c=d', '100% #1 ?', 'Ärger "in quotes" -rain', '日本の海 🌊'])(
  'a search for %j is read back from its URL',
  (words) => {
    expect(follow(paths.searchFor(words))).toEqual({ words });
  },
);

test('words are trimmed, and blank ones are no search', () => {
  expect(follow('/search?q=+dark++')).toEqual({ words: 'dark' });
  expect(follow('/search?q=+++')).toBeNull();
  expect(follow('/search?q=')).toBeNull();
  expect(follow(paths.search)).toBeNull();
});

test('a chosen image is found by its URL until the page reloads', () => {
  const files = [new File(['a'], 'a.png'), new File(['b'], 'b.png')] as const;
  const [a, b] = [keepQueryImage(files[0]), keepQueryImage(files[1])];
  expect(follow(paths.searchByImage(a))).toMatchObject({ name: a, file: files[0] });
  expect(follow(paths.searchByImage(b))).toMatchObject({ name: b, file: files[1] });
  expect(follow('/search?image=999')).toBe('lost');
});

test('an item, a moment of it and a chunk of it are read back from their URLs', () => {
  expect(follow(paths.searchLike('m1'))).toEqual({ media: 'm1' });
  expect(follow(paths.searchLike('m1', { at: 12.345 }))).toEqual({ media: 'm1', at: 12.35 });
  expect(follow(paths.searchLike('m1', { at: 0 }))).toEqual({ media: 'm1', at: 0 });
  expect(follow(paths.searchLike('m1', { chunk: 'c7' }))).toEqual({ media: 'm1', chunk: 'c7' });
});

test('a moment that is no number is left out', () => {
  for (const at of ['', 'abc', 'NaN', 'Infinity', '1,5']) {
    expect(readSource(new URLSearchParams({ like: 'm1', at }))).toEqual({ media: 'm1' });
  }
});

test('a moment or a chunk without an item is no search', () => {
  expect(follow('/search?at=5&chunk=c7&type=video')).toBeNull();
});

test('words stand beside an item or an image', () => {
  expect(follow('/search?like=m1&with=+at+night+')).toEqual({ media: 'm1', also: 'at night' });
  expect(follow('/search?like=m1&with=')).toEqual({ media: 'm1' });
  const name = keepQueryImage(new File(['a'], 'a.png'));
  expect(follow(`${paths.searchByImage(name)}&with=dark`)).toMatchObject({ name, also: 'dark' });
});

test('words come before an image, and an image before an item', () => {
  expect(follow('/search?like=m1&image=999&q=dark')).toEqual({ words: 'dark' });
  expect(follow('/search?like=m1&image=999')).toBe('lost');
});
