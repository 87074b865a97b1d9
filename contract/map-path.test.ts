import { expect, test } from 'vitest';
import { mapPath, pathBelow, pathOnMachine } from './map-path.ts';

const machines = [
  { name: 'macOS', from: '/mnt/nas', to: '/Volumes/NAS' },
  { name: 'macOS', from: '/mnt/nas/old/', to: '/Volumes/Old/' },
  { name: 'Windows', from: '/mnt/nas', to: 'Z:\\' },
  { name: 'Windows', from: '/mnt/ssd', to: '\\\\edit\\ssd' },
  { name: 'all', from: '/', to: '/srv' },
];

test.each([
  ['macOS', '/mnt/nas/2026/a b.mov', '/Volumes/NAS/2026/a b.mov'],
  // The longest folder decides, whatever its order and with or without a slash behind it.
  ['macOS', '/mnt/nas/old/a.mov', '/Volumes/Old/a.mov'],
  ['Windows', '/mnt/nas/2026/a.mov', 'Z:\\2026\\a.mov'],
  ['Windows', '/mnt/ssd/a/b.mov', '\\\\edit\\ssd\\a\\b.mov'],
  ['Windows', '/mnt/nas', 'Z:\\'],
  ['all', '/mnt/a.mov', '/srv/mnt/a.mov'],
])('on %s %s is %s', (name, path, mapped) => {
  expect(pathOnMachine(path, machines, name)).toBe(mapped);
});

test.each([
  ['a folder that only begins alike', '/mnt/nas2/a.mov', 'macOS'],
  ['a mapping of another machine', '/mnt/ssd/a.mov', 'macOS'],
  ['a machine without mappings', '/mnt/nas/a.mov', 'Linux'],
])('%s changes nothing', (_, path, name) => {
  expect(pathOnMachine(path, machines, name)).toBe(path);
});

const maps = [
  { from: '/bucket', to: 's3://footage/2026' },
  { from: '/data', to: '/mnt/nas' },
  { from: '/data/archive', to: '/mnt/cold' },
];

test.each([
  ['/data/2026/a.jpg', '/mnt/nas/2026/a.jpg'],
  ['/data/archive/a.jpg', '/mnt/cold/a.jpg'],
  ['/data/archives/a.jpg', '/mnt/nas/archives/a.jpg'],
  ['/bucket/a b=c.jpg', 's3://footage/2026/a b=c.jpg'],
  ['/data/🎉/été.jpg', '/mnt/nas/🎉/été.jpg'],
  ['/data', '/mnt/nas'],
  ['/data2/a.jpg', null],
  ['data/a.jpg', null],
  ['/data/../etc/passwd', null],
  ['/data/a/../../etc/passwd', null],
  ['/data/./a.jpg', null],
  ['/data//a.jpg', null],
  ['/data/a\0.jpg', null],
  ['/data/', '/mnt/nas'],
])('%j is %j', (path, mapped) => {
  expect(mapPath(path, maps)).toBe(mapped);
});

test('the root can be mapped, and be mapped to', () => {
  expect(mapPath('/photos/a.jpg', [{ from: '/', to: '/mnt/immich' }])).toBe('/mnt/immich/photos/a.jpg');
  expect(mapPath('/photos/a.jpg', [{ from: '/photos', to: '/' }])).toBe('/a.jpg');
  expect(pathBelow('/a.jpg', '/')).toBe('a.jpg');
});
