import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MapPoint } from '../../../contract/highlights.ts';
import type { MediaItem } from '../../../contract/media.ts';
import type { SearchHit } from '../../../contract/search.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { historySetting } from '../../catalog/media/timelines.ts';
import { writeSetting } from '../../catalog/service-settings.ts';
import { openServiceDatabase, startServiceOn, startTestService } from '../../testing/running-service.ts';

type Trash = { id: string; filename: string; thumbnail: string; trashed_at: string; removed_at: string }[];

test('an item in the trash is gone from everywhere, and restored or uploaded again it is as before', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  const items: MediaItem[] = [];
  for (const [name, colour] of [
    ['red.png', plain(200, 20, 20)],
    ['green.png', plain(20, 160, 40)],
  ] as const) {
    const file = path.join(folder, name);
    await makePhoto(file, colour);
    items.push(await client.waitUntilIndexed((await client.upload(file)).data.id));
  }
  const [red, green] = items as [MediaItem, MediaItem];
  const [chunk] = (await client.get<{ id: string }[]>(`/media/${red.id}/chunks`)).data;
  const seen = async () => ({
    list: (await client.get<MediaItem[]>('/media')).data.some(({ id }) => id === red.id),
    search: (await client.search('red')).data.some(({ id }) => id === red.id),
    image: (await client.post<SearchHit[]>('/media/search/image', { media_id: green.id })).data.length,
    highlights: (await client.get<SearchHit[]>('/media/highlights')).data.length,
    map: (await client.get<MapPoint[]>('/media/highlights/map')).data.length,
    clips: (await client.get<unknown[]>(`/media/clips?ids=${chunk?.id}`)).data.length,
    statuses: [
      (await client.get(`/media/${red.id}`)).status,
      (await client.get(`/media/${red.id}/chunks`)).status,
      (await client.get(`/media/${red.id}/texts`)).status,
      (await client.patch(`/media/${red.id}`, { creator_id: null })).status,
      (await client.post('/media/search/image', { media_id: red.id })).status,
    ],
    files: [(await fetch(red.url ?? '')).status, (await fetch(red.download_url)).status],
    known: (await client.post<{ media_id: string | null }[]>('/media/check', { sha256: [red.sha256] })).data[0]
      ?.media_id,
  });
  const before = await seen();
  expect(before).toMatchObject({ list: true, search: true, highlights: 2, map: 2, clips: 1, files: [200, 200] });

  expect((await client.post('/trash', { ids: [red.id] })).data).toEqual({ ids: [red.id] });
  expect(await seen()).toEqual({
    list: false,
    search: false,
    image: 1,
    highlights: 1,
    map: 1,
    clips: 0,
    statuses: [404, 404, 404, 404, 404],
    files: [404, 404],
    known: null,
  });
  const trash = await client.get<Trash, { total: number; storage_bytes: number }>('/trash');
  expect(trash.meta).toMatchObject({ total: 1, storage_bytes: red.size });
  expect(trash.data).toMatchObject([{ id: red.id, filename: 'red.png' }]);
  expect(Date.parse(trash.data[0]?.removed_at ?? '') - Date.parse(trash.data[0]?.trashed_at ?? '')).toBe(
    30 * 86_400_000,
  );
  expect((await fetch(trash.data[0]?.thumbnail ?? '')).status).toBe(200);
  const { usage } = (await client.get<Workspace>('/workspace')).data;
  expect(usage).toMatchObject({ media_items: 2, by_status: { complete: 1 }, trash: { storage_bytes: red.size } });

  expect((await client.post('/trash/restore', { ids: [red.id] })).data).toEqual({ ids: [red.id] });
  expect(await seen()).toEqual(before);

  await client.post('/trash', { ids: [red.id] });
  expect(await client.upload(path.join(folder, 'red.png'))).toMatchObject({
    status: 200,
    data: { id: red.id },
    meta: { duplicate: true },
  });
  expect(await seen()).toEqual(before);

  // What was restored meanwhile is not in the trash any more.
  expect((await client.delete(`/trash/${red.id}`)).status).toBe(404);
  expect(await seen()).toEqual(before);

  // The API's own deletion is final, in the trash and out of it.
  await client.post('/trash', { ids: [red.id, green.id] });
  expect((await client.delete(`/media/${red.id}`)).status).toBe(200);
  expect((await client.delete('/trash')).data).toEqual({ deleted: 1, storage_bytes: green.size });
  expect((await client.get<Trash>('/trash')).data).toEqual([]);
  expect((await client.get<Workspace>('/workspace')).data.usage).toMatchObject({ media_items: 0, storage_bytes: 0 });
});

test('a start deletes what came due while no service ran', async () => {
  await using folder = await temporaryFolder();
  await using database = await openServiceDatabase();
  const dataDirectory = folder.file('data');
  const service = await startServiceOn(dataDirectory, database.settings);
  const ids: string[] = [];
  for (const name of ['expired.png', 'recent.png']) {
    await makePhoto(folder.file(name), plain(9, 9, 40 * ids.length));
    ids.push((await service.client.waitUntilIndexed((await service.client.upload(folder.file(name))).data.id)).id);
  }
  await service.client.post('/trash', { ids });
  const due = new Date(Date.now() - 30 * 86_400_000 - 1000).toISOString();
  await service.db
    .updateTable('media_items')
    .set({ trashed_at: due })
    .where('id', '=', ids[0] ?? '')
    .execute();
  await writeSetting(service.db, historySetting, due);
  await service[Symbol.asyncDispose]();
  // It is known of this catalog that no older copy took its place.
  const note = path.join(dataDirectory, 'assets', 'catalog-history.json');
  const known = await readFile(note, 'utf8').catch(() => null);
  if (known !== null) await writeFile(note, JSON.stringify({ ...(JSON.parse(known) as object), since: due }));

  await using next = await startServiceOn(dataDirectory, database.settings);
  const items = path.join(dataDirectory, 'assets', service.workspaceId);
  await expect.poll(() => readdir(items)).toEqual([ids[1]]);
  expect(await next.db.selectFrom('media_items').select('id').execute()).toEqual([{ id: ids[1] }]);
});
