import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../contract/media.ts';
import type { SearchHit } from '../../contract/search.ts';
import { makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { addAppleNotes } from '../../packages/media/testing/make-live-photo.ts';
import { startTestService } from '../testing/running-service.ts';

const service = await startTestService({ workers: 1 });
const { client } = service;
afterAll(() => service[Symbol.asyncDispose]());

const file = (name: string) => path.join(service.folder, name);
const content = '1E5A4B7C-0F7B-4B0E-9B63-0D0C5C6A7F11';
const burst = '77777777-0F7B-4B0E-9B63-0D0C5C6A7F11';

async function add(name: string): Promise<string> {
  const { id } = (await client.upload(file(name))).data;
  await client.waitUntilIndexed(id);
  return id;
}

const listed = async (query = '') => (await client.get<MediaItem[]>(`/media${query}`)).data;
const get = async (id: string) => (await client.get<MediaItem>(`/media/${id}`)).data;

const ids: Record<string, string> = {};
beforeAll(async () => {
  await makeVideo(file('IMG_7.mov'), { scenes: [{ paint: plain(200, 30, 30), seconds: 1 }], contentId: content });
  await makePhoto(file('IMG_7.jpg'), plain(200, 30, 30));
  await addAppleNotes(file('IMG_7.jpg'), { content });
  for (const [i, blue] of [100, 110, 120].entries()) {
    await makePhoto(file(`burst${i}.jpg`), plain(20, 30, blue));
    await addAppleNotes(file(`burst${i}.jpg`), { burst });
  }
  await makePhoto(file('alone.jpg'), plain(30, 200, 40));
  // The film first: the photograph takes its place.
  for (const name of ['IMG_7.mov', 'IMG_7.jpg', 'burst0.jpg', 'burst1.jpg', 'burst2.jpg', 'alone.jpg']) {
    ids[name] = await add(name);
  }
});

test('the parts of a Live Photo, and a burst, are one item each in lists', async () => {
  expect((await listed()).map(({ filename }) => filename).toSorted()).toEqual(['IMG_7.jpg', 'alone.jpg', 'burst0.jpg']);
  const [live = '', first = '', alone = ''] = ['IMG_7.jpg', 'burst0.jpg', 'alone.jpg'].map((name) => ids[name] ?? '');
  expect((await get(live)).stack).toEqual({ id: live, count: 2, live: true });
  expect((await get(ids['IMG_7.mov'] ?? '')).stack).toEqual({ id: live, count: 2, live: true });
  expect((await get(first)).stack).toEqual({ id: first, count: 3, live: false });
  expect((await get(alone)).stack).toBeNull();
  const members = await listed(`?stack_id=${first}&sort=filename`);
  expect(members.map(({ filename }) => filename)).toEqual(['burst0.jpg', 'burst1.jpg', 'burst2.jpg']);
  expect((await listed(`?ids=${ids['burst1.jpg']}`)).length).toBe(1);
  expect((await client.get('/media/aspect-ratios')).data).toHaveLength(3);
  expect((await client.get<string[]>('/media/ids')).data).toHaveLength(3);
});

test('a stack is one hit, the best of its items, by words and by a picture', async () => {
  const itemsOf = (hits: SearchHit[]) => hits.map(({ id }) => id);
  for (const hits of [
    (await client.search('burst')).data,
    (
      await client.post<SearchHit[]>('/media/search/image', {
        image: (await readFile(file('burst1.jpg'))).toString('base64'),
      })
    ).data,
  ]) {
    expect(itemsOf(hits).filter((id) => [0, 1, 2].some((i) => ids[`burst${i}.jpg`] === id))).toHaveLength(1);
  }
  expect((await client.search('burst')).data.find(({ filename }) => filename.startsWith('burst'))?.stack).toEqual({
    id: ids['burst0.jpg'],
    count: 3,
    live: false,
  });
  expect((await client.search('alone')).data.find(({ id }) => id === ids['alone.jpg'])).not.toHaveProperty('stack');
  const { data } = await client.search('IMG_7');
  expect(itemsOf(data).filter((id) => id === ids['IMG_7.jpg'] || id === ids['IMG_7.mov'])).toHaveLength(1);
});

test('items are taken out and put together by hand, and what is shown for others may go', async () => {
  // Another one is shown for a burst whose first is taken out, and goes with the others into another stack.
  await client.patch(`/media/${ids['burst0.jpg']}`, { stack_id: null });
  expect((await get(ids['burst2.jpg'] ?? '')).stack).toEqual({ id: ids['burst1.jpg'], count: 2, live: false });
  expect((await listed()).map(({ filename }) => filename)).toContain('burst0.jpg');
  await client.patch(`/media/${ids['burst1.jpg']}`, { stack_id: ids['burst0.jpg'] });
  expect((await get(ids['burst2.jpg'] ?? '')).stack).toEqual({ id: ids['burst0.jpg'], count: 3, live: false });
  expect(await listed()).toHaveLength(3);
  const taken = await client.patch<MediaItem>(`/media/${ids['burst2.jpg']}`, { stack_id: null });
  expect(taken.data.stack).toBeNull();
  expect((await get(ids['burst0.jpg'] ?? '')).stack?.count).toBe(2);
  expect(await listed()).toHaveLength(4);
  const joined = await client.patch<MediaItem>(`/media/${ids['burst2.jpg']}`, { stack_id: ids['alone.jpg'] });
  expect(joined.data.stack).toEqual({ id: ids['alone.jpg'], count: 2, live: false });
  expect(await listed()).toHaveLength(3);
  const unknown = await client.patch(`/media/${ids['burst2.jpg']}`, {
    stack_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  });
  expect(unknown.status).toBe(400);
  expect((await get(ids['burst2.jpg'] ?? '')).stack?.id).toBe(ids['alone.jpg']);
  await client.delete(`/media/${ids['alone.jpg']}`);
  expect((await listed()).map(({ filename }) => filename)).toContain('burst2.jpg');
  expect((await get(ids['burst2.jpg'] ?? '')).stack).toBeNull();
});
