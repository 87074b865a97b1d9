import { expect, test } from 'vitest';
import type { MediaItem } from '../../contract/media.ts';
import { startTestService } from '../testing/running-service.ts';
import { sampleNames } from './sample-names.ts';

test('the samples are drawn, indexed, found by words of all kinds, and added once', async () => {
  await using service = await startTestService({ workers: 2 });
  const { client } = service;
  const owner = await service.signIn();
  expect(await owner.post('/manage/samples')).toMatchObject({ status: 202, data: { added: sampleNames.length } });
  const { data } = await client.get<MediaItem[]>('/media?per_page=100');
  expect(data.map(({ filename }) => filename).toSorted()).toEqual(sampleNames.toSorted());
  for (const { id } of data) expect((await client.waitUntilIndexed(id)).status).toBe('complete');
  for (const [words, filename] of [
    ['sunset', 'Sunset over the sea.mp4'],
    ['red on white', 'Strawberry on white.jpg'],
    ['ferry at noon', 'Harbour with subtitles.mkv'],
    ['black and white stripes', 'Black and white stripes.png'],
    ['purple', 'Purple dusk.webp'],
  ] as const) {
    expect((await client.search(words)).data[0]?.filename, words).toBe(filename);
  }
  expect((await client.get<unknown[]>('/media/highlights')).data.length).toBeGreaterThan(12);
  expect(await owner.post('/manage/samples')).toMatchObject({ status: 202, data: { added: 0 } });
});
