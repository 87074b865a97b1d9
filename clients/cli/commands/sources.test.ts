import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Source, SourceFile } from '../../../contract/sources.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import { runCommand } from '../testing/run-cli.ts';

test('sources are added, listed, shown, paused, scanned and removed, items are found by them, and lists name real paths', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService({ sourceRoots: [folder.path] });
  const { client } = service;
  const env = { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key };
  const run = (...words: string[]) => runCommand(words, { home: folder.path, env });
  const json = async <Data>(...words: string[]) => JSON.parse((await run(...words, '--json')).out) as Data;
  const root = folder.file('nas');
  await mkdir(path.join(root, 'berlin'), { recursive: true });
  await makeVideo(path.join(root, 'berlin', 'a.mp4'), { scenes: [{ paint: plain(20, 30, 90), seconds: 1 }] });
  await makePhoto(path.join(root, 'top.png'), plain(200, 30, 30));
  await copyFile(path.join(root, 'top.png'), path.join(root, 'proxy.png'));
  await writeFile(path.join(root, 'broken.jpg'), 'no photograph');

  expect(await run('sources')).toEqual({ code: 0, out: '', err: 'There are no sources.\n' });
  const added = await json<Source>('sources', 'add', root, '--name', 'NAS', '--exclude', '{proxy,other}.png');
  expect(added).toMatchObject({ name: 'NAS', location: root, exclude: ['{proxy,other}.png'] });
  expect(await run('sources', 'add', '/etc')).toMatchObject({ code: 1, err: expect.stringContaining('roots') });
  const ended = async () => {
    const { items, last_scan: last } = await json<Source>('sources', 'show', 'nas');
    return last !== null && items.pending + items.indexing === 0;
  };
  await expect.poll(ended, { timeout: 60_000 }).toBe(true);
  const rows = await run('sources');
  expect(rows.out).toMatch(new RegExp(`^${added.id}\\tready\\t3\\t\\d+\\t\\d\\tNAS\\t${root}\n$`));
  const shown = await run('sources', 'show', 'NAS');
  expect(shown.out).toContain(`location\t${root}\n`);
  expect(shown.out).toContain('without\t{proxy,other}.png\n');
  expect(shown.out).toMatch(/last scan\t\S+\t3 files, 3 new\n/);
  expect((await run('sources', 'show', 'NAT')).err).toBe('There is no source named “NAT”. There are “NAS”.\n');

  const failed = await json<SourceFile[]>('sources', 'files', 'NAS', '--failed');
  expect(failed.map((file) => file.path)).toEqual(['broken.jpg']);
  expect((await run('sources', 'files', 'NAS', '--path', 'berlin')).out).toMatch(
    /^\S+\tcomplete\t\d+\tberlin\/a\.mp4\t\n$/,
  );

  // Filters by name, and by folder below the root.
  const names = async (...words: string[]) =>
    (await json<{ filename: string }[]>('list', '--status', 'complete', ...words)).map(({ filename }) => filename);
  expect((await names('--source', 'nas')).toSorted()).toEqual(['a.mp4', 'top.png']);
  expect(await names('--folder', 'berlin')).toEqual(['a.mp4']);
  expect((await run('list', '--source', 'Nobody')).err).toContain('There is no source named “Nobody”.');
  const [video] = await json<{ id: string }[]>('list', '--type', 'video');
  expect((await run('get', video?.id ?? '')).out).toContain(`location\t${root}/berlin/a.mp4\n`);

  // Two of one name in one folder: what was begun of one is not gone on with for the other.
  const { id = '' } = video ?? {};
  await writeFile(folder.file(`a.mp4.${id.slice(0, 8)}.part`), 'of another item');
  expect(await run('download', id, '--dir', folder.path)).toMatchObject({ code: 0 });
  expect(await readFile(folder.file('a.mp4'))).toEqual(await readFile(path.join(root, 'berlin', 'a.mp4')));

  await client.patch('/path-mappings', { mappings: [{ name: 'macOS', from: root, to: '/Volumes/NAS' }] });
  const list = folder.file('cuts.fcpxml');
  const cut = await run('search', 'dark', 'blue', '--type', 'video', '--export', list, '--paths', 'macOS');
  expect(cut).toMatchObject({ code: 0, err: expect.stringContaining(`Saved ${list}\n`) });
  expect(await readFile(list, 'utf8')).toContain('src="file:///Volumes/NAS/berlin/a.mp4"');
  expect(await run('search', 'blue', '--export', list)).toMatchObject({
    code: 1,
    err: expect.stringContaining('exists'),
  });
  expect(await run('search', 'blue', '--paths', 'macOS')).toMatchObject({
    code: 1,
    err: expect.stringContaining('--paths is for lists'),
  });
  expect((await run('search', 'blue', '--export', `${list}.csv`, '--paths', 'Linux')).err).toContain(
    'there are: macOS',
  );

  expect((await json<Source>('sources', 'pause', 'NAS')).state).toBe('paused');
  expect(await run('sources', 'scan', 'NAS')).toMatchObject({ code: 1, err: expect.stringContaining('is paused') });
  expect((await json<Source>('sources', 'resume', 'NAS')).state).not.toBe('paused');
  expect(await run('sources', 'scan', 'NAS', '--accept-missing')).toMatchObject({ code: 0 });
  expect(await run('sources', 'remove', 'NAS')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(await run('sources', 'remove', 'NAS', '--yes')).toMatchObject({ code: 0, out: `${added.id}\n` });
  await expect.poll(async () => (await json<Source[]>('sources')).length, { timeout: 30_000 }).toBe(0);
  expect((await readFile(path.join(root, 'top.png'))).length).toBeGreaterThan(0);
});
