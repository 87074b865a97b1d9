import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { findFiles } from './find-files.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const name of ['a', 'a/b', '.hidden']) await mkdir(folder.file(name));
  const names = [
    '1.mp4',
    '2.MOV',
    '10.mp4',
    'notes.txt',
    '.secret.mp4',
    'a/photo.jpg',
    'a/b/deep.mkv',
    'a/b/x(1).mp4',
    '.hidden/no.mp4',
  ];
  for (const name of names) await writeFile(folder.file(name), name);
  await symlink(folder.path, folder.file('a/loop'));
  await symlink('/etc/hostname', folder.file('a/link.mp4'));
});
afterAll(() => folder[Symbol.asyncDispose]());

const find = async (...paths: string[]) => {
  const { files, ...rest } = await findFiles(paths.map((each) => path.join(folder.path, each)));
  return { files: files.map((file) => path.relative(folder.path, file.path)), ...rest };
};

test('a folder gives its videos and images, nothing hidden, and follows no links', async () => {
  expect(await find('.')).toEqual({
    files: ['1.mp4', '2.MOV', '10.mp4', 'a/b/deep.mkv', 'a/b/x(1).mp4', 'a/photo.jpg'],
    leftOut: 3,
    problems: [],
  });
});

test('a file that is named has any extension, and comes once', async () => {
  expect((await find('notes.txt', '1.mp4', './1.mp4', 'a/../1.mp4')).files).toEqual(['notes.txt', '1.mp4']);
});

test.each([
  ['*.mp4', ['1.mp4', '10.mp4']],
  ['?.mp4', ['1.mp4']],
  ['**/*.mp4', ['1.mp4', '10.mp4', 'a/b/x(1).mp4']],
  ['a/**', ['a/b/deep.mkv', 'a/b/x(1).mp4', 'a/photo.jpg']],
  ['*.{mp4,MOV}', ['1.mp4', '2.MOV', '10.mp4']],
  ['[!1]*.*', ['2.MOV', 'notes.txt']],
  ['a/b/x(1).*', ['a/b/x(1).mp4']],
])('%s matches %j', async (pattern, files) => {
  expect((await find(pattern)).files).toEqual(files);
});

test('what names nothing is said, and the rest is found', async () => {
  expect(await find('*.avi', 'missing.mp4', '1.mp4')).toEqual({
    files: ['1.mp4'],
    leftOut: 0,
    problems: [
      { path: folder.file('*.avi'), error: `Nothing matches ${folder.file('*.avi')}.` },
      { path: folder.file('missing.mp4'), error: `${folder.file('missing.mp4')} does not exist.` },
    ],
  });
});
