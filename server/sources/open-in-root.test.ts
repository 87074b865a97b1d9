import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { isWithin, openInRoot } from './open-in-root.ts';

async function setUp() {
  const folder = await temporaryFolder();
  const [root, dataDirectory] = [folder.file('root'), folder.file('data')];
  await mkdir(path.join(root, 'a'), { recursive: true });
  await mkdir(path.join(dataDirectory, 'assets'), { recursive: true });
  await writeFile(path.join(root, 'a', 'b.jpg'), 'inside');
  await writeFile(folder.file('outside.jpg'), 'outside');
  await writeFile(path.join(dataDirectory, 'secret.key'), 'secret');
  return {
    folder,
    root,
    dataDirectory,
    open: (file: string) => openInRoot({ path: root, dataDirectory }, file),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a regular file is opened, and its path leads to what was opened, whatever is put in its place', async () => {
  await using t = await setUp();
  const { handle, file, status } = await t.open('a/b.jpg');
  expect(Number(status.size)).toBe(6);
  if (process.platform === 'linux') {
    await writeFile(path.join(t.root, 'other'), 'another');
    await rename(path.join(t.root, 'other'), path.join(t.root, 'a', 'b.jpg'));
  }
  expect(await readFile(file, 'utf8')).toBe('inside');
  await handle.close();
});

test.each(['../outside.jpg', 'a/../../outside.jpg', '/etc/passwd', 'a//b.jpg', './a/b.jpg', '', 'a/b.jpg\0.mp4', '..'])(
  'the path %j is refused by its text',
  async (file) => {
    await using t = await setUp();
    await expect(t.open(file)).rejects.toMatchObject({ code: 'outside_root' });
  },
);

test('links are not followed, neither at the end of a path nor within it', async () => {
  await using t = await setUp();
  await symlink(t.folder.file('outside.jpg'), path.join(t.root, 'link.jpg'));
  await symlink(t.folder.path, path.join(t.root, 'up'));
  // One that stays inside leads to another path than was listed.
  await symlink(path.join(t.root, 'a'), path.join(t.root, 'c'));
  await expect(t.open('link.jpg')).rejects.toMatchObject({ code: 'no_file' });
  await expect(t.open('up/outside.jpg')).rejects.toMatchObject({ code: 'outside_root' });
  await expect(t.open('c/b.jpg')).rejects.toMatchObject({ code: 'outside_root' });
});

test('what is no file is not opened: folders, pipes, devices', async () => {
  await using t = await setUp();
  execFileSync('mkfifo', [path.join(t.root, 'pipe.jpg')]);
  await expect(t.open('pipe.jpg')).rejects.toMatchObject({ code: 'no_file' });
  await expect(t.open('a')).rejects.toMatchObject({ code: 'no_file' });
  await expect(t.open('none.jpg')).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(openInRoot({ path: '/dev', dataDirectory: t.dataDirectory }, 'null')).rejects.toMatchObject({
    code: 'no_file',
  });
});

test('a second name of a file of the service is not opened, another second name is', async () => {
  await using t = await setUp();
  await link(path.join(t.root, 'a', 'b.jpg'), path.join(t.root, 'again.jpg'));
  await (await t.open('again.jpg')).handle.close();
});

test('a hard link into the data folder is refused', async () => {
  await using t = await setUp();
  await link(path.join(t.dataDirectory, 'secret.key'), path.join(t.root, 'holiday.jpg'));
  await expect(t.open('holiday.jpg')).rejects.toMatchObject({ code: 'data_folder' });
});

test('a hard link into the data folder that was made after another was looked at is refused', async () => {
  await using t = await setUp();
  await link(path.join(t.root, 'a', 'b.jpg'), path.join(t.root, 'again.jpg'));
  await (await t.open('again.jpg')).handle.close();
  await link(path.join(t.dataDirectory, 'secret.key'), path.join(t.root, 'holiday.jpg'));
  await expect(t.open('holiday.jpg')).rejects.toMatchObject({ code: 'data_folder' });
});

test.each([
  ['/mnt/nas', '/mnt/nas', true],
  ['/mnt/nas', '/mnt/nas/a', true],
  ['/mnt/nas', '/mnt/nas2', false],
  ['/', '/etc', true],
])('within %s lies %s: %s', (folder, file, expected) => {
  expect(isWithin(folder, file)).toBe(expected);
});
