import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, plain, square } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

/** What a search by words does where it is not said whether hits are judged again, with the built-in embedder. */

const service = await startTestService({ embedder: 'builtin' });
const { client, db, folder } = service;
afterAll(() => service[Symbol.asyncDispose]());

beforeAll(async () => {
  for (const [name, paint] of [
    ['ball.png', square([210, 20, 30], [255, 255, 255])],
    ['sky.png', plain(110, 180, 240)],
    ['lawn.png', plain(40, 150, 40)],
  ] as const) {
    await makePhoto(path.join(folder, name), paint);
    await client.waitUntilIndexed((await client.upload(path.join(folder, name))).data.id);
  }
});

const search = async (query: string, more?: string) => {
  const { data, meta } = await client.search(query, more);
  const verdicts = data.flatMap(({ signals }) => signals.rerank ?? []);
  return { found: data.length, verdicts: verdicts.length, reranked: meta.reranked, by: meta.reranked_by, meta };
};

test('words about what is shown are reranked, and the answer names who judged', async () => {
  expect(await search('a dog on a beach')).toMatchObject({
    found: 3,
    verdicts: 3,
    reranked: true,
    by: 'builtin@4',
  });
  // The best are judged also where fewer are wanted.
  const all = (await client.search('a dog on a beach')).data.map(({ filename }) => filename);
  const [first] = (await client.search('a dog on a beach', '&n=1')).data;
  expect(first?.filename).toBe(all[0]);
});

test('words about how it looks are not, because the whole says more; nor is anything with rerank=0', async () => {
  for (const asked of [
    ['red', ''],
    ['bright blue', ''],
    ['a dog on a beach', '&rerank=0'],
    ['a dog on a beach', '&rerank=false'],
    ['a dog on a beach', '&in=filename'],
  ] as const) {
    const { verdicts, reranked, by, meta } = await search(asked[0], asked[1]);
    expect([verdicts, reranked, by], asked.join(' ')).toEqual([0, false, undefined]);
    expect(meta.notice ?? '').not.toContain('eranked');
  }
  expect(await search('red', '&rerank=1')).toMatchObject({ verdicts: 3, reranked: true, by: 'builtin@4' });
});

test('nor is what would have to be read first, unless that is asked for', async () => {
  const views = await db.selectFrom('chunk_views').selectAll().execute();
  const [one] = views;
  await db
    .deleteFrom('chunk_views')
    .where('chunk_number', '=', one?.chunk_number ?? -1)
    .execute();
  const partly = await search('a dog on a beach');
  expect(partly).toMatchObject({ verdicts: 2, reranked: true });
  expect(partly.meta.notice ?? '').not.toContain('eranked');
  await db.deleteFrom('chunk_views').execute();
  const none = await search('a dog on a beach');
  expect(none).toMatchObject({ found: 3, verdicts: 0, reranked: false });
  expect(none.meta.notice ?? '').not.toContain('eranked');
  expect(await search('a dog on a beach', '&rerank=1')).toMatchObject({ verdicts: 3, reranked: true });
  await db.insertInto('chunk_views').values(views).execute();
});

test('a search by an image is reranked only where that is asked for', async () => {
  const id = (await client.get<{ id: string }[]>('/media')).data[0]?.id;
  const like = async (more: object) =>
    (
      await client.post<unknown, { reranked: boolean; reranked_by?: string }>('/media/search/image', {
        media_id: id,
        ...more,
      })
    ).meta;
  expect(await like({})).toMatchObject({ reranked: false });
  expect(await like({ rerank: 1 })).toMatchObject({ reranked: true, reranked_by: 'builtin@4' });
});

test('what found nothing was not reranked, because nobody judged', async () => {
  for (const more of ['', '&rerank=1']) {
    const { found, reranked, by, meta } = await search('"words that no text holds"', more);
    expect([found, reranked, by]).toEqual([0, false, undefined]);
    expect(meta.notice).not.toContain('eranked');
  }
});
