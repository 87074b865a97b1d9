import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

test('a missing or truncated original is refused in the envelope and reported on the item; the same upload restores it', async () => {
  await using service = await startTestService({ logLevel: 'silent' });
  const { client, folder, workspaceId } = service;
  const photo = path.join(folder, 'red.png');
  await makePhoto(photo, plain(200, 30, 30));
  const { data: uploaded } = await client.upload(photo);
  const item = await client.waitUntilIndexed(uploaded.id);
  expect(item).toMatchObject({ status: 'complete', warning: null });
  const original = path.join(folder, 'data', 'assets', workspaceId, item.id, 'original');
  const damages: [MediaItem['warning'], () => Promise<void>][] = [
    [
      { code: 'original_damaged', message: expect.stringContaining('Upload the same file again') },
      () => truncate(original, 10),
    ],
    [{ code: 'original_missing', message: expect.stringContaining('Upload the same file again') }, () => rm(original)],
  ];
  for (const [warning, damage] of damages) {
    await damage();
    for (const address of [item.download_url, item.url ?? '']) {
      const response = await fetch(address, { headers: { Range: 'bytes=0-5' } });
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({ success: false, error: warning });
    }
    expect((await client.get<MediaItem>(`/media/${item.id}`)).data.warning).toEqual(warning);
    // The dashboard checks before it uploads: the service needs these bytes again.
    const sums = { sha256: [item.sha256] };
    expect((await client.post('/media/check', sums)).data).toEqual([{ sha256: item.sha256, media_id: null }]);

    const again = await client.upload(photo);
    expect(again).toMatchObject({ status: 200, data: { id: item.id, warning: null }, meta: { duplicate: true } });
    expect(await readFile(original)).toEqual(await readFile(photo));
    expect((await fetch(item.download_url)).status).toBe(200);
  }
});

test('an upload of the same bytes replaces a lost original even if the loss was not detected', async () => {
  await using service = await startTestService();
  const { client, folder, workspaceId } = service;
  const photo = path.join(folder, 'red.png');
  await makePhoto(photo, plain(200, 30, 30));
  const { data: item } = await client.upload(photo);
  await client.waitUntilIndexed(item.id);
  const original = path.join(folder, 'data', 'assets', workspaceId, item.id, 'original');
  await writeFile(original, '');
  expect((await client.upload(photo)).data).toMatchObject({ id: item.id, warning: null });
  expect(await readFile(original)).toEqual(await readFile(photo));
});

test('an item that is deleted during a request is not found, whatever its file', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  const photo = path.join(folder, 'red.png');
  await makePhoto(photo, plain(200, 30, 30));
  const { data } = await client.upload(photo);
  const item = await client.waitUntilIndexed(data.id);
  await client.delete(`/media/${item.id}`);
  expect((await fetch(item.download_url)).status).toBe(404);
});
