import { expect, test } from 'vitest';
import { cuesAt, lastBegun, parseVtt } from './parse-vtt.ts';

test('cues are read with their times and characters; notes are not', () => {
  const file = [
    'WEBVTT',
    'NOTE\nSpeech of “a.mp4”\n00:01',
    '1\n00:00:01.500 --> 00:00:02.000\nFish &amp; chips\n1 &lt; 2 &amp;lt;',
    '100:00:00.250 --> 100:00:01.000\nlate',
    '01:02.000 --> 01:03.000\nwithout hours',
    '4\n00:00:05.000 --> 00:00:06.000\n',
    '',
  ].join('\n\n');
  expect(parseVtt(file)).toEqual([
    { start: 1.5, end: 2, text: 'Fish & chips\n1 < 2 &lt;' },
    { start: 360_000.25, end: 360_001, text: 'late' },
    { start: 62, end: 63, text: 'without hours' },
  ]);
  expect(parseVtt('<html>no captions</html>')).toEqual([]);
});

test('a cue in italics is uncertain; signs of markup within a text are not', () => {
  const file =
    'WEBVTT\n\n1\n00:00.000 --> 00:01.000\n<i>skate &amp;\nboard</i>\n\n00:01.000 --> 00:02.000\n&lt;i&gt;x&lt;/i&gt;\n';
  expect(parseVtt(file)).toEqual([
    { start: 0, end: 1, text: 'skate &\nboard', uncertain: true },
    { start: 1, end: 2, text: '<i>x</i>' },
  ]);
});

test.each([
  [-1, [], -1],
  [1, ['a'], 0],
  [1.9, ['a'], 0],
  [2, ['a', 'b'], 1],
  [3, ['a', 'c'], 2],
  [5, [], 2],
])('at %d s: %j', (time, texts, last) => {
  const cues = [
    { start: 1, end: 5, text: 'a' },
    { start: 2, end: 3, text: 'b' },
    { start: 3, end: 4, text: 'c' },
  ];
  expect(cuesAt(cues, time).map(({ text }) => text)).toEqual(texts);
  expect(lastBegun(cues, time)).toBe(last);
});

test('where all speak at once the last ones are shown', () => {
  const cues = Array.from({ length: 200 }, (_, i) => ({ start: i, end: 1000, text: String(i) }));
  expect(cuesAt(cues, 500).map(({ text }) => text)).toEqual(['196', '197', '198', '199']);
});
