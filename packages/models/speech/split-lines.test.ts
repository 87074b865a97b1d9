import { expect, test } from 'vitest';
import { splitLines } from './transcribe-window.ts';

/** Words of a text, half a second each; `|` is a pause of two seconds. */
function say(text: string) {
  let time = 0;
  return text.split(/(?<=\S)(?=\s)/).flatMap((word) => {
    if (word.trim() === '|') {
      time += 2;
      return [];
    }
    time += 0.5;
    return [{ text: word, start: time - 0.5, end: time }];
  });
}

const textsOf = (text: string) => splitLines(say(text)).map((line) => line.text);

test('each sentence is a line, with its times', () => {
  const lines = splitLines(say(' Good morning. Is it raining? “Yes.” No'));
  expect(lines.map(({ text, start, end }) => ({ text, start, end }))).toEqual([
    { text: 'Good morning.', start: 0, end: 1 },
    { text: 'Is it raining?', start: 1, end: 2.5 },
    { text: '“Yes.”', start: 2.5, end: 3 },
    { text: 'No', start: 3, end: 3.5 },
  ]);
});

test('a pause begins a line', () => {
  expect(textsOf(' one two | three four')).toEqual(['one two', 'three four']);
});

test('a long sentence is parted, at a comma where one is near the middle, and no word is lost', () => {
  expect(textsOf(' The ferry was late this morning, and so they had to walk all the long way.')).toEqual([
    'The ferry was late this morning,',
    'and so they had to walk all the long way.',
  ]);
  const long = ` ${Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')}`;
  const lines = splitLines(say(long));
  expect(lines.map(({ text }) => text).join(' ')).toBe(long.trim());
  for (const { text, start, end } of lines) {
    expect(text.length).toBeLessThanOrEqual(84);
    expect(end - start).toBeLessThanOrEqual(7);
    expect(text.length).toBeGreaterThan(20);
  }
});

test('Chinese has no spaces, twice the width, and sentences of its own', () => {
  const words = Array.from('今天天气很好。我们去公园散步。', (text, i) => ({ text, start: i / 4, end: (i + 1) / 4 }));
  expect(splitLines(words).map(({ text }) => text)).toEqual(['今天天气很好。', '我们去公园散步。']);
  const many = Array.from('好'.repeat(50), (text, i) => ({ text, start: i / 10, end: (i + 1) / 10 }));
  expect(splitLines(many).map(({ text }) => text.length)).toEqual([25, 25]);
});

test('nothing gives nothing', () => {
  expect(splitLines([])).toEqual([]);
});
