import { expect, test } from 'vitest';
import { splitName, withExtension } from './file-name.ts';

test('a name ends before its extension', () => {
  expect(
    ['a.mp4', 'a.b.MOV', 'a', '.profile', 'v1. final cut', '東京.mp4'].map((name) => splitName(name).base),
  ).toEqual(['a', 'a.b', 'a', '.profile', 'v1. final cut', '東京']);
});

test('a new name keeps the extension, unless it has one of its own', () => {
  expect(withExtension('Ferry', 'DSC01234.MOV')).toBe('Ferry.MOV');
  expect(withExtension('Ferry.mp4', 'DSC01234.MOV')).toBe('Ferry.mp4');
  expect(withExtension('Trip 12.08', 'DSC01234.MOV')).toBe('Trip 12.08.MOV');
  expect(withExtension('Ferry.7z', 'DSC01234.MOV')).toBe('Ferry.7z');
  expect(withExtension('Ferry at 7', 'noextension')).toBe('Ferry at 7');
  expect(withExtension('', 'a.mp4')).toBe('');
});
