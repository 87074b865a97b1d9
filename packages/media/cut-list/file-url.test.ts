import { expect, test } from 'vitest';
import { toFileUrl } from './file-url.ts';

test.each([
  ['/Volumes/NAS/2026/a b #1%.mov', 'file:///Volumes/NAS/2026/a%20b%20%231%25.mov'],
  ['/mnt/nas/Köln/ä?.mov', 'file:///mnt/nas/K%C3%B6ln/%C3%A4%3F.mov'],
  // A backslash is a character of a name here.
  ['/mnt/a\\b.mov', 'file:///mnt/a%5Cb.mov'],
  ['/mnt/\ud800.mov', 'file:///mnt/%EF%BF%BD.mov'],
  ['Z:\\nas\\a b.mov', 'file:///Z:/nas/a%20b.mov'],
  ['Z:/nas/a.mov', 'file:///Z:/nas/a.mov'],
  ['\\\\server\\share\\a.mov', 'file://server/share/a.mov'],
  ['s3://bucket/a.mov', null],
  ['a.mov', null],
])('%j is the address %j', (path, url) => {
  expect(toFileUrl(path)).toBe(url);
  if (url !== null) expect(new URL(url).protocol).toBe('file:');
});
