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
import { createRandom } from '../../../packages/search-engine/testing/random.ts';
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

  // Where only something is excluded, what is left is what was asked for.
  const others = await client.search('-red');
  expect(others.data.map(({ filename, weak }) => [filename, weak])).toContainEqual(['noon.png', false]);
  expect(others.data.some(({ filename, weak }) => weak || filename === 'berry.png')).toBe(false);
  expect(others.meta.notice).not.toContain('No clear matches');

  const like = async (more: object) =>
    client.post<SearchHit[], { notice?: string }>('/media/search/image', { media_id: berry?.id, ...more });
  expect((await like({})).meta.notice).toBeUndefined();
  // The video is not like the photograph.
  expect((await like({ type: 'video' })).meta.notice).toBe(notice);
});

test('words that nobody knows find weak pictures at most, and the text that holds them', async () => {
  await using service = await startTestService({ embedder: 'builtin' });
  const { client, folder } = service;
  const names = ['noon.png', '52da3a0_x9.png', 'Qwlkej at dusk.png'];
  for (const [i, name] of names.entries()) {
    await makePhoto(path.join(folder, name), plain(40 * i, 140, 240 - 60 * i));
    await client.waitUntilIndexed((await client.upload(path.join(folder, name))).data.id);
  }
  for (const query of ['asdkjh wmfkdlsa', 'blorf', 'wmfkdlsa']) {
    for (const more of ['', '&as_written=1']) {
      const { data, meta } = await client.search(query, more);
      expect(data.every(({ weak, score }) => weak && score < 0.25)).toBe(true);
      if (data.length > 0) expect(meta.notice).toContain(notice);
    }
  }
  expect((await client.search('qwlkej')).data.map(({ filename, weak }) => [filename, weak])[0]).toEqual([
    'Qwlkej at dusk.png',
    false,
  ]);
  // No piece of a name that a program made is a word, by itself or by its stem (“das”).
  for (const query of ['Was ist das?', 'da', 'das', '3']) {
    expect((await client.search(query, '&in=filename')).data).toEqual([]);
  }
  expect((await client.search('52da3a0', '&in=filename')).data).toHaveLength(1);
});

test('weak hits are the last ones, and below the others in score, whatever is searched for', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  const colours: [string, Paint][] = [
    ['red boat.png', plain(210, 20, 30)],
    ['blue.png', plain(30, 60, 220)],
    ['boat.png', checkers(0.5)],
    ['green street at night.png', plain(20, 120, 30)],
    ['IMG_1.png', square([240, 220, 30], [10, 10, 10])],
  ];
  for (const [name, paint] of colours) {
    await makePhoto(path.join(folder, name), paint);
    await client.waitUntilIndexed((await client.upload(path.join(folder, name))).data.id);
  }
  const { below, pick, next } = createRandom(5);
  const words = 'red blue green yellow dark bright boat street night walrus at IMG_1 black white stripes'.split(' ');
  for (let round = 0; round < 80; round++) {
    const query = Array.from({ length: 1 + below(4) }, () => `${next() < 0.15 ? '-' : ''}${pick(words)}`).join(' ');
    const { data } = await client.search(query, next() < 0.5 ? '&dedupe=1' : '&rerank=1');
    const first = data.findIndex(({ weak }) => weak);
    const last = first === -1 ? [] : data.slice(first);
    expect(
      last.every(({ weak, score }) => weak && score < 0.25),
      query,
    ).toBe(true);
    expect(data.slice(0, first).every(({ score }) => score >= 0.25)).toBe(true);
  }
});
