import path from 'node:path';
import { expect, test } from 'vitest';
import type { SearchHit } from '../../../contract/search.ts';
import {
  checkers,
  makePhoto,
  makeVideo,
  type Paint,
  plain,
  square,
} from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

const notice = 'No clear matches. These are the closest results.';

test('a notice says so when every hit is weak, in searches by words and by an image', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  const add = async (name: string) => client.waitUntilIndexed((await client.upload(path.join(folder, name))).data.id);
  const photos: [name: string, paint: Paint][] = [
    ['berry.png', square([210, 20, 30], [255, 255, 255])],
    ['noon.png', plain(110, 180, 240)],
    ['dusk.png', plain(30, 40, 90)],
    ['grass.png', plain(40, 150, 40)],
  ];
  for (const [name, paint] of photos) await makePhoto(path.join(folder, name), paint);
  await makeVideo(path.join(folder, 'boards.mp4'), { scenes: [{ paint: checkers(0.5), seconds: 2 }] });
  const [berry] = await Promise.all([...photos.map(([name]) => name), 'boards.mp4'].map(add));

  const none = await client.search('yellow');
  expect(none.data.map(({ weak }) => weak)).toEqual([true, true, true, true, true]);
  expect(none.meta.notice).toBe(notice);
  const red = await client.search('red');
  expect(red.data.map(({ weak }) => weak)).toEqual([false, true, true, true, true]);
  expect(red.meta.notice).toBeUndefined();
  // It stands beside what else is to be said.
  expect((await client.search('yellow walrus')).meta.notice).toMatch(
    /“walrus”; searched for in text only\. No clear matches/,
  );

  const like = async (more: object) =>
    client.post<SearchHit[], { notice?: string }>('/media/search/image', { media_id: berry?.id, ...more });
  expect((await like({})).meta.notice).toBeUndefined();
  // The video is not like the photograph.
  expect((await like({ type: 'video' })).meta.notice).toBe(notice);
});
