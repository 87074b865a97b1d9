import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { type Column, formatForPeople, formatForScripts } from './format-table.ts';

type Row = { score: number; name: string; address: string };
const columns: Column<Row>[] = [
  { name: 'SCORE', value: ({ score }) => score, shown: ({ score }) => score.toFixed(2), align: 'right' },
  { name: 'FILE', value: ({ name }) => name, flexible: true },
  { name: 'ADDRESS', value: ({ address }) => address, below: true },
];
const rows: Row[] = [
  { score: 0.934, name: '東京タワー夜景の動画ファイル.mp4', address: 'http://host/media/1?t=12.5' },
  { score: 0.1, name: 'a\tb\u001b[31m.mp4', address: 'http://host/media/2' },
];

test('scripts get whole values with tabs in between, and no heading', () => {
  expect(formatForScripts(columns, rows)).toBe(
    `0.934\t東京タワー夜景の動画ファイル.mp4\thttp://host/media/1?t=12.5\n` +
      String.raw`0.1` +
      '\t' +
      String.raw`a\tb\u001b[31m.mp4` +
      '\thttp://host/media/2\n',
  );
});

test('people get a heading and aligned columns', () => {
  expect(formatForPeople(columns, rows, 120, (text) => text)).toBe(
    'SCORE  FILE                              ADDRESS\n' +
      ' 0.93  東京タワー夜景の動画ファイル.mp4  http://host/media/1?t=12.5\n' +
      String.raw` 0.10  a\tb\u001b[31m.mp4                http://host/media/2` +
      '\n',
  );
});

test('on a narrow terminal names are cut by what they take, and addresses stand whole below', () => {
  const lines = formatForPeople(columns, rows, 28, (text) => text).split('\n');
  expect(lines).toEqual([
    'SCORE  FILE',
    ' 0.93  東京タワー夜景の動画…',
    '  http://host/media/1?t=12.5',
    String.raw` 0.10  a\tb\u001b[31m.mp4`,
    '  http://host/media/2',
    '',
  ]);
});

test.each([120, 80, 62, 28, 10])('colours take no width on a terminal of %i columns', (width) => {
  const paint = (text: string) => `\u001b[1m${text}\u001b[22m`;
  const painted = columns.map((column) => ({ ...column, paint }));
  const plain = stripVTControlCharacters(formatForPeople(painted, rows, width, paint));
  expect(plain).toBe(formatForPeople(columns, rows, width, (text) => text));
});

test('on a terminal that is too narrow for columns each field has a line', () => {
  const all: Column<Row>[] = [{ name: 'ID', value: () => '01a20729-99d7-7592-8da3-9f6310447e75' }, ...columns];
  expect(formatForPeople(all, rows, 40, (text) => text)).toBe(
    `ID       01a20729-99d7-7592-8da3-9f6310447e75
SCORE    0.93
FILE     東京タワー夜景の動画ファイル.mp4
ADDRESS  http://host/media/1?t=12.5

ID       01a20729-99d7-7592-8da3-9f6310447e75
SCORE    0.10
FILE     ${String.raw`a\tb\u001b[31m.mp4`}
ADDRESS  http://host/media/2
`,
  );
});

test('what stands below is left out where there is nothing to say', () => {
  const some = [rows[0] as Row, { ...(rows[1] as Row), address: '' }];
  expect(formatForPeople(columns, some, 28, (text) => text).split('\n')).toHaveLength(5);
  const none = rows.map((row) => ({ ...row, address: '' }));
  expect(formatForPeople(columns, none, 120, (text) => text)).not.toContain('ADDRESS');
});

test('columns that can be spared go first', () => {
  const more: Column<Row>[] = [...columns, { name: 'SIZE', value: () => '18.3 MB', spare: true }];
  expect(formatForPeople(more, rows, 120, (text) => text)).toContain('SIZE');
  expect(formatForPeople(more, rows, 28, (text) => text)).toBe(formatForPeople(columns, rows, 28, (text) => text));
});
