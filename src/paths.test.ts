import { expect, test } from 'vitest';
import { paths } from './paths.ts';

test('links to pages keep the paths that people have bookmarked', () => {
  expect([
    paths.library,
    paths.media('m1'),
    paths.search,
    paths.highlights,
    paths.workspace,
    paths.settings(),
    paths.settings('keys'),
    paths.signIn,
    paths.join,
  ]).toEqual([
    '/',
    '/media/m1',
    '/search',
    '/highlights',
    '/workspace',
    '/settings',
    '/settings/keys',
    '/sign-in',
    '/join',
  ]);
});

test('a link to a moment of an item names it to the millisecond, and the query that found it', () => {
  expect(paths.media('m1', { t: 12.5 })).toBe('/media/m1?t=12.5');
  expect(paths.media('m1', { t: 0 })).toBe('/media/m1?t=0');
  expect(paths.media('m1', { t: 1 / 3, q: 'a&b' })).toBe('/media/m1?t=0.333&q=a%26b');
  expect(paths.media('m1', { q: 'a', in: 'speech,ocr' })).toBe('/media/m1?q=a&in=speech,ocr');
  expect(paths.media('m1', { q: '' })).toBe('/media/m1');
});

test('words of a search are encoded', () => {
  expect(paths.searchFor('a+b & #1')).toBe('/search?q=a%2Bb%20%26%20%231');
});

test('a search by an item names a moment with hundredths of a second, the first one included', () => {
  expect(paths.searchLike('m1')).toBe('/search?like=m1');
  expect(paths.searchLike('m1', { at: 0 })).toBe('/search?like=m1&at=0.00');
  expect(paths.searchLike('m1', { at: 61.5, chunk: 'c7' })).toBe('/search?like=m1&at=61.50&chunk=c7');
  expect(paths.searchByImage('3')).toBe('/search?image=3');
});

test('a link to a folder names its source, and keeps what else the library is limited to', () => {
  expect(paths.inFolder('s1')).toBe('/?source=s1');
  expect(paths.inFolder('s1', '2026/a & b')).toBe('/?source=s1&folder=2026%2Fa+%26+b');
  expect(paths.inFolder('s1', '', { status: 'error' })).toBe('/?source=s1&status=error');
});
