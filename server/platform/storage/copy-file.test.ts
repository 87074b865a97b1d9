import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { copyFile, hasFile, receiveFile } from './copy-file.ts';

test('a file gets its name only when it is whole, and is known again by its length', async () => {
  await using folder = await temporaryFolder();
  const [source, target] = [folder.file('source'), path.join(folder.path, 'new', 'folder', 'target')];
  await writeFile(source, 'twelve bytes');
  const outcome = await receiveFile(target, (file) => copyFile(source, file));
  expect(outcome).toMatchObject({ bytes: 12 });
  expect(await readFile(target, 'utf8')).toBe('twelve bytes');
  expect([await hasFile(target, 12), await hasFile(target, 12, Infinity), await hasFile(target, 11)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await hasFile(folder.file('absent'), 0)).toBe(false);

  const expected = typeof outcome === 'string' ? undefined : outcome;
  const other = folder.file('other');
  await truncate(source, 11);
  expect(await copyFile(source, other, { expected })).toBe('damaged');
  await writeFile(source, 'twelve bytez');
  expect(await receiveFile(other, (file) => copyFile(source, file, { expected }))).toBe('damaged');
  expect(await copyFile(folder.file('absent'), other)).toBe('missing');
  expect((await readdir(folder.path)).toSorted()).toEqual(['new', 'source']);
});
