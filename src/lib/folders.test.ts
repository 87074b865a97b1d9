import { expect, test } from 'vitest';
import { describeFolder, describeFolderShortly, folderAbove, foldersTo } from './folders.ts';

test('a folder is named with those above it', () => {
  expect(foldersTo('2026/berlin/day 1')).toEqual([
    { name: '2026', path: '2026' },
    { name: 'berlin', path: '2026/berlin' },
    { name: 'day 1', path: '2026/berlin/day 1' },
  ]);
  expect(foldersTo('')).toEqual([]);
  expect(describeFolder('2026/berlin')).toBe('2026 › berlin');
});

test('the way up ends at the root', () => {
  expect(folderAbove('2026/berlin/day 1')).toBe('2026/berlin');
  expect(folderAbove('2026')).toBe('');
  expect(folderAbove('')).toBe('');
});

test('where there is little room the last folders are named', () => {
  expect(describeFolderShortly('2026/berlin/day 1')).toBe('… › berlin › day 1');
  expect(describeFolderShortly('2026/berlin')).toBe('2026 › berlin');
});
