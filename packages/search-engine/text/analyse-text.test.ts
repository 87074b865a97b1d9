import { describe, expect, test } from 'vitest';
import { analyseFilename, filenameTokens, findWords, fold, listWords, stemOf, tokensOf } from './analyse-text.ts';

const tokens = (text: string): string[] => [...tokensOf(text)];

describe('the tokens of a text', () => {
  test.each([
    ["The Red cars, don't stop!", ['the', 'red', 'cars', 'don', 't', 'stop']],
    ['x2 1,000 4K', ['x2', '1', '000', '4k']],
    ['Café NAÏVE Ångström', ['cafe', 'naive', 'angstrom']],
    ['cafe\u0301', ['cafe']],
    ['Straße Łódź Ørsted', ['strasse', 'lodz', 'orsted']],
    ['Ἀθήνα Σίσυφος', ['αθηνα', 'σισυφοσ']],
    ['Ёлка йод', ['елка', 'иод']],
    ['ＩＭＧ２ ﬁlm', ['img2', 'film']],
    ['東京都庁の夜景', ['东京', '都厅', 'の', '夜景']],
    ['我爱北京天安门', ['我', '爱', '北京', '天安门']],
    ['สวัสดีชาวโลก', ['สวัสดี', 'ชาว', 'โลก']],
    ['서울의 밤', ['서울의', '밤']],
    ['iPhone東京', ['iphone', '东京']],
    ['😀 🚗red🚗', ['red']],
    ['', []],
    ['–…!', []],
  ])('%s', (text, expected) => expect(tokens(text)).toEqual(expected));

  test('a Japanese word of two scripts is also found by its parts', () => {
    expect(tokens('東京タワー')).toEqual(['东京タワー', '东京', 'タワー']);
    expect(tokens('東京')).toEqual(['东京']);
  });

  test.each([
    ['東京', '东京'],
    ['圖書館', '图书馆'],
    ['図書館', '图书馆'],
    ['橫濱', '横浜'],
    ['氣候變遷', '气候变迁'],
    ['國際駅', '国际驿'],
    ['頭髮發芽', '头发发芽'],
  ])('a Chinese word is the same in traditional, simplified and Japanese characters: %s, %s', (one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  test('characters that are others in Chinese stay apart', () => {
    expect(new Set('予豫欠缺弁辨'.split('').map(fold)).size).toBe(6);
    expect(fold('夜景')).toBe('夜景');
  });

  test('marks of other scripts are no diacritics', () => {
    expect(fold('ガラス')).not.toBe(fold('カラス'));
    expect(fold('が')).toBe(fold('か\u3099'));
    expect(fold('कि')).not.toBe(fold('क'));
    expect(fold('กำ')).not.toBe(fold('กา'));
  });

  test('say where the words are', () => {
    const text = 'Ein Café, 東京タワーの夜';
    expect([...findWords(text)].map(({ start, end }) => text.slice(start, end))).toEqual([
      'Ein',
      'Café',
      '東京タワー',
      'の',
      '夜',
    ]);
  });

  test('long texts are cut between words only', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`);
    expect(tokens(words.join(' '))).toEqual(words);
    expect(tokens(`é ${words.join(' ')}`)).toEqual(['e', ...words]);
  });
});

describe('hostile texts', () => {
  test.each([
    ['a megabyte without spaces', 'a'.repeat(1_000_000)],
    ['one with other letters', 'é'.repeat(1_000_000)],
    ['one of Thai letters', 'ก'.repeat(300_000)],
    ['one of Chinese letters', '東'.repeat(300_000)],
    ['many combining marks', `a${'\u0301\u0323'.repeat(300_000)}`],
    ['many voicing marks', `か${'\u3099'.repeat(300_000)}`],
    ['lone surrogates', '\ud800'.repeat(300_000)],
    ['letters beyond the basic plane', '𝒜𠀀'.repeat(20_000)],
    ['long expansions', '\ufdfa'.repeat(300_000)],
  ])('%s', (_, text) => {
    const started = performance.now();
    const found = tokens(text);
    expect(performance.now() - started).toBeLessThan(5000);
    for (const token of new Set(found)) {
      expect(token.length).toBeLessThanOrEqual(64);
      expect(token.isWellFormed()).toBe(true);
    }
  });

  test('a lone surrogate ends a word', () => expect(tokens('red\ud800car')).toEqual(['red', 'car']));

  test('file names', () => {
    const started = performance.now();
    for (const name of [
      'a'.repeat(1_000_000),
      'aB'.repeat(100_000),
      `a${'\u0301'.repeat(100_000)}`,
      '.'.repeat(100_000),
      '',
    ]) {
      filenameTokens(name);
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('the tokens of a file name', () => {
  test.each([
    ['IMG_2041.jpg', ['img', '2041', 'img2041']],
    ['IMG2041.HEIC', ['img', '2041', 'img2041']],
    ['holidayParis.mov', ['holiday', 'paris', 'holidayparis']],
    ['RedCar_02.mp4', ['red', 'car', '02', 'redcar', 'redcar02']],
    ['HTMLPage.png', ['html', 'page', 'htmlpage']],
    ['ÉtéÀParis.mov', ['ete', 'a', 'paris', 'eteaparis']],
    ['summer-holiday (3).tar.gz', ['summer', 'holiday', '3', 'tar', 'summerholiday']],
    ['東京タワー.mp4', ['东京', 'タワー', '东京タワー']],
    ['red car.mp4', ['red', 'car']],
    ['noextension', ['noextension']],
    ['.mp4', ['4', 'mp4']],
    ['---', []],
    // What a program named is no words, but words and numbers beside each other are.
    ['2752da3a0f.jpg', ['2752da3a0f']],
    ['2752DA3A0F-edited.jpg', ['2752da3a0f', 'edited', '2752da3a0fedited']],
    ['cafe2024.jpg', ['cafe', '2024', 'cafe2024']],
    ['take2.mov', ['take', '2', 'take2']],
    ['WA0001.jpg', ['0001', 'wa0001']],
    // Pieces of two letters between digits have the stems of words (“das”, “bes”), and numbers of two digits are found everywhere.
    ['scan_3d2a.jpg', ['scan', '3d2a', 'scan3d2a']],
    ['x52da3a0.jpg', ['x52da3a0']],
    ['52da3a0_k9.jpg', ['52da3a0', '9', 'k9', '52da3a0k9']],
    ['dQw4w9WgXcQ.mp4', ['dqw4w9wgxcq']],
    ['aGVsb8gd29yb7dog2x.png', ['agvsb8gd29yb7dog2x']],
    ['S01E02 the dog.mkv', ['s01e02', 'the', 'dog']],
    ['iPhone14ProClip3.mov', ['phone', 'pro', 'clip', 'iphone14proclip3']],
    ['IMG20240312WA0001.jpg', ['img', '20240312', '0001', 'img20240312wa0001']],
    [
      '3f2504e0-4f89-11d3-9a0c-0305e82c3301.mov',
      ['3f2504e0', '4f89', '11d3', '9a0c', '0305e82c3301', '3f2504e04f8911d39a0c0305e82c3301'],
    ],
  ])('%s', (filename, expected) => expect(filenameTokens(filename).toSorted()).toEqual(expected.toSorted()));

  test('have their places in it', () => {
    const name = 'my-holidayParis_12.mov';
    const { pieces, subwords, runs } = analyseFilename(name);
    const shown = (words: { start: number; end: number }[]) => words.map(({ start, end }) => name.slice(start, end));
    expect(shown(pieces)).toEqual(['my', 'holidayParis', '12']);
    expect(shown(subwords)).toEqual(['my', 'holiday', 'Paris', '12']);
    expect(shown(runs)).toEqual(['my-holidayParis_12']);
  });
});

test('stems are those of English words', () => {
  expect(['running', 'runs', 'ponies', 'pony'].map(stemOf)).toEqual(['run', 'run', 'poni', 'poni']);
  expect(['2041s', 'élans', '東京', 'is'].map(stemOf)).toEqual(['2041s', 'élans', '東京', 'is']);
});

test.each([
  '',
  '!',
  'a',
  "The Red cars, don't stop! x2 1,000 4K_b",
  ` ${'Ab9'.repeat(40)} z`,
  `${'word '.repeat(2000)}end`,
  'Café 東京タワー red',
  'İstanbul I',
])('words in a list are those that are found one by one: %s', (text) => {
  expect(listWords(text)).toEqual([...findWords(text)]);
});
