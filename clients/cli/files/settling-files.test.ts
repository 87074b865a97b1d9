import { expect, test } from 'vitest';
import { SettlingFiles } from './settling-files.ts';

const file = (path: string, signature: string) => ({ path, size: 1, signature });
const create = () => {
  const files = new SettlingFiles(30_000);
  return {
    files,
    note: (seconds: number, ...found: [path: string, signature: string][]) =>
      files.note(
        found.map((each) => file(...each)),
        seconds * 1000,
      ),
    take: (seconds: number, max = 10) => files.take(seconds * 1000, max).map(({ path }) => path),
  };
};

test('a file is taken once, when it has been as it is for the whole time', () => {
  const { note, take } = create();
  note(0, ['a', '1']);
  note(20, ['a', '2']);
  expect([take(30), take(49)]).toEqual([[], []]);
  note(50, ['a', '2']);
  expect([take(50), take(100)]).toEqual([['a'], []]);
  note(100, ['a', '2']);
  expect(take(200)).toEqual([]);
  note(200, ['a', '3']);
  expect([take(229), take(230)]).toEqual([[], ['a']]);
});

test('a file that is gone is taken no more, and is new when it comes back', () => {
  const { note, take } = create();
  note(0, ['a', '1'], ['b', '1']);
  note(10, ['b', '1']);
  expect(take(30)).toEqual(['b']);
  note(40);
  note(50, ['b', '1']);
  expect([take(79), take(80)]).toEqual([[], ['b']]);
});

test('some at a time, and those that could not be sent once more', () => {
  const { files, note, take } = create();
  note(0, ['a', '1'], ['b', '1'], ['c', '1']);
  expect([take(30, 2), take(30, 2)]).toEqual([['a', 'b'], ['c']]);
  files.takeLater('b', 90_000);
  files.takeLater('gone', 90_000);
  note(80, ['a', '1'], ['b', '1'], ['c', '1']);
  expect([take(89), take(90)]).toEqual([[], ['b']]);
});
