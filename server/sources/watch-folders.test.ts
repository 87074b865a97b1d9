import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createFolderWatch } from './watch-folders.ts';

async function setUp() {
  const folder = await temporaryFolder();
  const told: string[] = [];
  const watching = createFolderWatch(
    folder.path,
    (folders) => told.push(...folders),
    () => told.push('ended'),
  );
  return {
    folder,
    told,
    add: async (name: string) => {
      const { dev, ino, birthtimeNs } = await lstat(path.join(folder.path, name), { bigint: true });
      watching.add(name, `${dev}:${ino}:${birthtimeNs}`);
    },
    async [Symbol.asyncDispose]() {
      watching.end();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('a folder that was deleted and made again is watched again, when it is listed', async () => {
  await using t = await setUp();
  const day = t.folder.file('day');
  await mkdir(day);
  for (const name of ['', 'day']) await t.add(name);
  await rm(day, { recursive: true });
  await mkdir(day);
  await expect.poll(() => t.told).toContain('');
  for (const name of ['', 'day']) await t.add(name);
  await delay(700);
  t.told.length = 0;
  await writeFile(path.join(day, 'new.jpg'), 'x');
  await expect.poll(() => t.told, { timeout: 3000 }).toEqual(['day']);
});

test('a folder in the place of another that was renamed is watched, and so is that one', async () => {
  await using t = await setUp();
  await mkdir(t.folder.file('busy'));
  await t.add('busy');
  await rename(t.folder.file('busy'), t.folder.file('old'));
  await mkdir(t.folder.file('busy'));
  for (const name of ['busy', 'old']) await t.add(name);
  await delay(700);
  t.told.length = 0;
  await writeFile(t.folder.file('busy/new.jpg'), 'x');
  await writeFile(t.folder.file('old/new.jpg'), 'x');
  await expect.poll(() => t.told.toSorted(), { timeout: 3000 }).toEqual(['busy', 'old']);
});

test('where files are written all the time changes are told of all the same', async () => {
  await using t = await setUp();
  await t.add('');
  const began = performance.now();
  while (performance.now() - began < 7000 && t.told.length === 0) {
    await writeFile(t.folder.file('recording.mov'), String(performance.now()));
    await delay(50);
  }
  expect(t.told).toEqual(['']);
});
