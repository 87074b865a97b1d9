import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let id = '';
beforeAll(async () => {
  service = await startTestService();
  const file = path.join(service.folder, 'scan.png');
  await makePhoto(file, plain(40, 90, 200));
  id = (await service.client.upload(file)).data.id;
});
afterAll(() => service[Symbol.asyncDispose]());

const set = (date: unknown) => service.client.patch<MediaItem>(`/media/${id}`, { taken_at: date });

test('an item whose file says no date gets one, before it is indexed, and is found by it', async () => {
  const { client } = service;
  expect((await set('1999-12-31T23:30:00-03:00')).data).toMatchObject({
    taken_at: '2000-01-01T02:30:00.000Z',
    capture: { text: '1999-12-31T23:30:00-03:00', source: 'Set in Media Search', zone: '-03:00', camera: null },
  });
  const item = await client.waitUntilIndexed(id);
  expect(item).toMatchObject({ status: 'complete', taken_at: '2000-01-01T02:30:00.000Z' });
  expect((await client.get('/media/months')).data).toEqual([{ month: '1999-12', count: 1 }]);
  const found = async (query: string) => (await client.get<MediaItem[]>(`/media?${query}`)).data.length;
  expect(await found('taken_before=2000-01-01')).toBe(1);
  await set('2001-05-06T07:08');
  expect((await client.get<MediaItem>(`/media/${id}`)).data).toMatchObject({
    taken_at: '2001-05-06T07:08:00.000Z',
    capture: { zone: null },
  });
  expect(await found('taken_before=2000-01-01')).toBe(0);
});

test.for([
  '2026-02-30T10:00:00Z',
  '2026-07-14',
  'yesterday',
  '0001-01-01T00:00:00Z',
  '1825-12-31T23:59:59Z',
  '2026-07-14T21:12:08+15:00',
  '2026-07-14T21:12:08.0123456789Z',
  '2026-07-14T24:00:00Z',
  null,
  1_795_284_000,
])('%j is no date, and changes nothing', async (wrong) => {
  const before = (await service.client.get<MediaItem>(`/media/${id}`)).data.taken_at;
  expect(before).not.toBeNull();
  expect(await set(wrong)).toMatchObject({ status: 400, error: { code: 'validation_error' } });
  expect((await service.client.get<MediaItem>(`/media/${id}`)).data.taken_at).toBe(before);
});
