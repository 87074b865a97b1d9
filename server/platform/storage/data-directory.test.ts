import { once } from 'node:events';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { readGreeting, waitForExit, spawnProgram } from '../../testing/programs.ts';
import { createTestClient } from '../../testing/running-service.ts';
import { lockDataDirectory } from './data-directory.ts';

/** Everything in a folder that another user may read, write or enter. */
async function openToOthers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = [folder, ...entries.map(({ parentPath, name }) => path.join(parentPath, name))];
  const modes = await Promise.all(paths.map(async (each) => [each, (await stat(each)).mode & 0o777] as const));
  return modes.filter(([, mode]) => (mode & 0o077) !== 0).map(([each, mode]) => `${each} ${mode.toString(8)}`);
}

test('no other user can read the data folder, nor anything that service, workers and admin make in it', async () => {
  await using folder = await temporaryFolder();
  const data = folder.file('data');
  const settings = { DATA_DIR: data, PORT: '0', WORKERS: '1' };
  const service = spawnProgram('main', [], settings);
  const { url, key } = await readGreeting(service);
  await waitForExit(spawnProgram('admin', ['workspace', 'create', 'Second'], settings));
  // A rendition is needed, and thumbnails.
  await makeVideo(folder.file('film.avi'), { scenes: [{ paint: plain(20, 90, 20), seconds: 2 }], codec: 'mpeg4' });
  const client = createTestClient(url, key);
  const { id } = (await client.upload(folder.file('film.avi'))).data;
  expect((await client.waitUntilIndexed(id)).status).toBe('complete');
  await client.search('green');
  const names = (await readdir(data, { recursive: true })).join(' ');
  expect(names).toMatch(/catalog\.db-wal.*playback|playback.*catalog\.db-wal/);
  expect(await openToOthers(data)).toEqual([]);
  service.kill('SIGTERM');
  await once(service, 'exit');
  expect(await openToOthers(data)).toEqual([]);
});

test('a start closes a data folder that an earlier version left open', async () => {
  await using folder = await temporaryFolder();
  const data = folder.file('data');
  await mkdir(path.join(data, 'models', 'old'), { recursive: true });
  await writeFile(path.join(data, 'models', 'old', 'model.onnx'), 'x');
  for (const each of ['', 'models', 'models/old']) await chmod(path.join(data, each), 0o755);
  await chmod(path.join(data, 'models/old/model.onnx'), 0o644);
  const service = spawnProgram('main', [], { DATA_DIR: data, PORT: '0', WORKERS: '1' });
  await readGreeting(service);
  expect(await openToOthers(data)).toEqual([]);
  service.kill('SIGTERM');
  await once(service, 'exit');
});

test('a folder that is not there is named', () => {
  expect(() => lockDataDirectory('/no/such/folder')).toThrow('There is no folder /no/such/folder; set DATA_DIR.');
});
