import { appendFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/testing/running-service.ts';
import { SettlingFiles } from './settling-files.ts';

test('a file is taken once, when it has been as it is for the whole time', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.mp4');
  await writeFile(file, 'a');
  const files = new SettlingFiles(30_000);
  const take = async (seconds: number) => (await files.take(seconds * 1000)).map((each) => each.size);
  files.note(file, 0);
  expect([await take(1), await take(30)]).toEqual([[], []]);
  // Written to without a sign of the file system: it counts from then on.
  await appendFile(file, 'b');
  expect([await take(31), await take(60)]).toEqual([[], []]);
  expect([await take(61), await take(100)]).toEqual([[2], []]);
});

test('a file that is gone, and one that is to be tried later', async () => {
  await using folder = await temporaryFolder();
  const [gone, later] = [folder.file('gone.mp4'), folder.file('later.mp4')];
  for (const file of [gone, later]) await writeFile(file, 'a');
  const files = new SettlingFiles(1000);
  files.note(gone, 0);
  files.noteLater(later, 60_000);
  await files.take(0);
  await rm(gone);
  expect(await files.take(59_000)).toEqual([]);
  await files.take(60_000);
  expect(await files.take(61_000)).toMatchObject([{ path: later }]);
});
