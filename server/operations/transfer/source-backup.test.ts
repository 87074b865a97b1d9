import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import type { Source } from '../../../contract/sources.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { makeDistinctPhoto, uploadPhotos } from '../../testing/photos.ts';
import { runAdmin } from '../../testing/programs.ts';
import { startServiceOn, startTestService } from '../../testing/running-service.ts';
import { readManifest } from './backup-folder.ts';

test('a source is added by an operator while the service runs; a backup says that its originals are elsewhere, and a restored service reads them there', async () => {
  await using folder = await temporaryFolder();
  const [root, backup, restored] = [folder.file('nas'), folder.file('backup'), folder.file('restored')];
  await mkdir(path.join(root, 'berlin'), { recursive: true });
  for (const number of [1, 2]) await makeDistinctPhoto(path.join(root, 'berlin', `${number}.png`), number);
  let labelled = '';
  {
    await using service = await startTestService();
    const { client } = service;
    const data = service.environment['DATA_DIR'] ?? '';
    const added = await runAdmin(data, 'source', 'add', root, '--name', 'NAS', '--exclude', '**/2.*');
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining(`NAS  ${root}  (workspace My workspace, `) });
    const again = await runAdmin(data, 'source', 'add', root);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('a source with this name or this location') });
    const inside = await runAdmin(data, 'source', 'add', data);
    expect(inside).toMatchObject({ code: 1, err: expect.stringContaining('must neither hold the data folder') });
    await uploadPhotos(client, folder.path, [3]);
    const list = async () => (await client.get<MediaItem[]>('/media')).data;
    await expect
      .poll(async () => (await list()).filter(({ status }) => status === 'complete').length, { timeout: 60_000 })
      .toBe(2);
    const item = (await list()).find(({ source }) => source !== null);
    expect(item?.source?.path).toBe('berlin/1.png');
    labelled = item?.id ?? '';
    await client.patch(`/media/${labelled}`, { rating: 5 });
    const made = await runAdmin(data, 'backup', backup);
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('Backed up 2 items') });
    expect(made.out).toContain('The originals of 1 items are in sources');
    expect(await readManifest(backup)).toMatchObject({ items: 2, elsewhere: 1 });
    const names = await readdir(backup, { recursive: true });
    expect(names.filter((name) => path.basename(name) === 'original')).toHaveLength(1);
    const question = await runAdmin(data, 'source', 'remove', 'NAS');
    expect(question).toMatchObject({ code: 1, err: expect.stringContaining('has 1 items') });
    expect(await runAdmin(data, 'source', 'remove', 'NAS', '--force')).toMatchObject({ code: 0 });
    await expect.poll(async () => (await client.get<Source[]>('/sources')).data, { timeout: 30_000 }).toEqual([]);
  }
  const { code, out } = await runAdmin(restored, 'restore', backup);
  expect(code).toBe(0);
  expect(out).toContain('The originals of 1 items are read in their sources');
  expect(await runAdmin(restored, 'source', 'list')).toMatchObject({
    out: expect.stringMatching(/NAS {2}.*, 1 files/),
  });
  expect(await runAdmin(restored, 'check')).toMatchObject({ code: 0 });
  await using service = await startServiceOn(restored);
  const { data: item } = await service.client.get<MediaItem>(`/media/${labelled}`);
  expect(item).toMatchObject({ rating: 5, status: 'complete', source: { name: 'NAS', offline: false } });
  const original = await fetch(item.download_url ?? '');
  expect(Buffer.from(await original.arrayBuffer())).toEqual(await readFile(path.join(root, 'berlin', '1.png')));
  // It goes on scanning.
  await makeDistinctPhoto(path.join(root, 'berlin', '4.png'), 4);
  const [source] = (await service.client.get<Source[]>('/sources')).data as [Source];
  await service.client.post(`/sources/${source.id}/scan`, {});
  await expect
    .poll(async () => (await service.client.get<Source>(`/sources/${source.id}`)).data.files.total, { timeout: 30_000 })
    .toBe(2);
  expect((await service.client.get<MediaItem>(`/media/${labelled}`)).data.rating).toBe(5);
});
