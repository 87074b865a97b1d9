import { expect, test } from 'vitest';
import { addRules, chooseEntries, createGlobs, type Entry, groupSidecars } from './choose-entries.ts';

const entriesOf = (...names: string[]): Entry[] =>
  names.map((name) =>
    name.endsWith('/') ? { name: name.slice(0, -1), kind: 'folder' } : { name, kind: 'file' as const },
  );
const all = createGlobs({ include: [], exclude: [] }, { nocase: false });
const names = (entries: Entry[]) => entries.map(({ name }) => name);

test('media, folders and sidecars are taken; what is hidden or neither is not', () => {
  const entries = entriesOf('a.jpg', 'A.MOV', 'a.srt', 'notes.txt', '.b.jpg', '.git/', 'sub/');
  const { folders, media, sidecars } = chooseEntries('top', entries, all, []);
  expect([folders, names(media), names(sidecars)]).toEqual([['top/sub'], ['a.jpg', 'A.MOV'], ['a.srt']]);
});

test('a picture of a folder is none of its own beside films, and one among photographs', () => {
  expect(names(chooseEntries('', entriesOf('Folder.JPG', 'a.mp4'), all, []).media)).toEqual(['a.mp4']);
  expect(names(chooseEntries('', entriesOf('folder.jpg', 'a.jpg'), all, []).media)).toEqual(['folder.jpg', 'a.jpg']);
});

test('globs count from the root, rules of a folder from that folder', () => {
  const globs = createGlobs({ include: ['x/**'], exclude: ['**/proxies/**', '**/proxies'] }, { nocase: false });
  const ignored = addRules([], 'x', '/skip.jpg\nlater/\n');
  const chosen = chooseEntries('x', entriesOf('skip.jpg', 'a.jpg', 'proxies/', 'later/', 'y/'), globs, ignored);
  expect([chosen.folders, names(chosen.media)]).toEqual([['x/y'], ['a.jpg']]);
  expect(names(chooseEntries('x/y', entriesOf('skip.jpg'), globs, ignored).media)).toEqual(['skip.jpg']);
  expect(names(chooseEntries('z', entriesOf('a.jpg'), globs, []).media)).toEqual([]);
});

test('a sidecar belongs to the media that its name begins with, with a language or without', () => {
  const of = (path: string) => ({ path, size: 1, modifiedMs: 0 });
  const sidecarsOf = groupSidecars([of('x/a.en.srt'), of('x/a.xmp'), of('x/ab.srt')]);
  expect(sidecarsOf('a.mp4').map(({ path }) => path)).toEqual(['x/a.en.srt', 'x/a.xmp']);
  expect(sidecarsOf('a.en.mp4').map(({ path }) => path)).toEqual(['x/a.en.srt']);
  expect(sidecarsOf('b.mp4')).toEqual([]);
});

test('patterns of an `.ignore` file that would take minutes count for nothing, and the others do', () => {
  const ignored = addRules([], '', `${'*a'.repeat(12)}*b\nskip.jpg\n`);
  const began = performance.now();
  expect(names(chooseEntries('', entriesOf(`${'a'.repeat(200)}.jpg`, 'skip.jpg'), all, ignored).media)).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(1000);
});

test('an item has few sidecars, however many files lie beside it', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({ path: `a.${i}.srt`, size: 1, modifiedMs: 0 }));
  const began = performance.now();
  expect(groupSidecars(many)('a.mp4')).toHaveLength(20);
  expect(performance.now() - began).toBeLessThan(500);
});
