import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SavedSearch } from '../../../contract/saved-searches.ts';
import { makePhoto, plain, square } from '../../../packages/media/samples/draw-media.ts';
import { listEventsAfter } from '../../catalog/events/events.ts';
import { requestMatches } from '../../catalog/searches/saved-matches.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service[Symbol.asyncDispose]());

async function add(name: string, paint = plain(30, 40, 90), client = service.client): Promise<string> {
  await makePhoto(path.join(service.folder, name), paint);
  const { data } = await client.upload(path.join(service.folder, name));
  await client.waitUntilIndexed(data.id);
  return data.id;
}

const save = async (name: string, parameters: Record<string, string>, client = service.client) =>
  (await client.post<SavedSearch>('/saved-searches', { name, page: 'search', parameters, notify: true })).data;

const newMatches = async (id: string) =>
  (await service.client.get<SavedSearch>(`/saved-searches/${id}`)).data.new_matches;

const listWaiting = () => service.db.selectFrom('jobs').select('media_id').where('kind', '=', 'match').execute();

/** Waits until all items were compared with all saved searches. */
const settled = () => expect.poll(listWaiting).toEqual([]);

const matchesOf = async (name: string) =>
  (await listEventsAfter(service.db, service.workspaceId, 0, 1000)).flatMap(({ type, data }) =>
    type === 'search.saved_match' && data.saved_search.name === name ? [data] : [],
  );

test('a new item that truly matches is reported once, one that is merely nearest never', async () => {
  const { client, db } = service;
  await add('old red.png', plain(210, 20, 30));
  // Among two images of which one is red nothing red stands out.
  await Promise.all([add('night.png', plain(20, 25, 60)), add('lawn.png', plain(50, 160, 60))]);
  const red = await save('Red things', { q: 'red', type: 'image' });
  const text = await save('By name', { q: '"harbour master"', in: 'filename,tag' });
  const videos = await save('Red videos', { q: 'red', type: 'video' });
  const silent = (
    await client.post<SavedSearch>('/saved-searches', { name: 'Silent', page: 'search', parameters: { q: 'red' } })
  ).data;
  expect([red.notify, red.new_matches, silent.notify]).toEqual([true, 0, false]);

  const berry = await add('berry.png', square([210, 20, 30], [255, 255, 255]));
  await add('dusk.png');
  const named = await add('harbour master.png', plain(40, 150, 40));
  await settled();
  expect(await matchesOf('Red things')).toEqual([
    {
      saved_search: { id: red.id, name: 'Red things' },
      media: { id: berry, filename: 'berry.png', type: 'image' },
      hits: [{ start: 0, end: 0, score: expect.any(Number) }],
    },
  ]);
  expect((await matchesOf('By name')).map(({ media }) => media.id)).toEqual([named]);
  expect(await Promise.all([red, text, videos, silent].map(({ id }) => newMatches(id)))).toEqual([1, 1, 0, 0]);

  // Indexed again it is no new match, nor is an old item one.
  const items = await db.selectFrom('media_items').select('id').execute();
  const ids = items.map(({ id }) => id);
  await requestMatches(db, service.workspaceId, ids);
  expect(await listWaiting()).toHaveLength(3);
  await settled();
  expect(await matchesOf('Red things')).toHaveLength(1);

  // Somebody looks; then it is turned off.
  const looked = await client.patch<SavedSearch>(`/saved-searches/${red.id}`, { new_matches: 0, notify: false });
  expect(looked.data).toMatchObject({ new_matches: 0, notify: false, name: 'Red things' });
  await add('cherry.png', square([220, 10, 20], [250, 250, 250]));
  await settled();
  expect(await matchesOf('Red things')).toHaveLength(1);

  // It costs no searches of the plan.
  const { usage } = (await client.get<{ usage: { searches_per_month: number } }>('/workspace')).data;
  expect(usage).toMatchObject({ searches_per_month: 0 });
});

test('what was read of an item later, and what resembles another item, match too', async () => {
  const { db } = service;
  const blue = await add('sea.png', plain(20, 60, 200));
  const said = await save('Parcels', { q: 'parcel', in: 'speech,ocr' });
  const like = await save('Like the sea', { media_id: blue });
  const other = await add('lagoon.png', plain(24, 62, 196));
  await settled();
  expect((await matchesOf('Like the sea')).map(({ media }) => media.id)).toEqual([other]);
  expect(await newMatches(said.id)).toBe(0);

  const segment = { workspace_id: service.workspaceId, media_id: other };
  const { number } = await db
    .selectFrom('chunks')
    .select('number')
    .where('media_id', '=', other)
    .executeTakeFirstOrThrow();
  const { number: segmentNumber } = await db
    .insertInto('text_segments')
    .values({
      ...segment,
      source: 'ocr',
      track: null,
      language: 'en',
      start_time: 0,
      end_time: 0,
      text: 'A parcel',
      box: null,
      confidence: 1,
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('chunk_segments')
    .values({ workspace_id: service.workspaceId, chunk_number: number, segment_number: segmentNumber })
    .execute();
  const read = {
    ...segment,
    source: 'ocr' as const,
    language: 'en',
    model: null,
    draft_model: null,
    message: null,
    updated_at: '',
  };
  await db
    .insertInto('text_extractions')
    .values({ ...read, state: 'pending' })
    .execute();
  await db.updateTable('text_extractions').set({ state: 'complete' }).where('media_id', '=', other).execute();
  await requestMatches(db, service.workspaceId, [other]);
  await settled();
  expect((await matchesOf('Parcels')).map(({ media }) => media.id)).toEqual([other]);
  expect(await matchesOf('Like the sea')).toHaveLength(1);
  expect([await newMatches(said.id), await newMatches(like.id)]).toEqual([1, 1]);
});

test('an item that is in the trash when it is complete is reported once it is restored', async () => {
  const { client, db, folder } = service;
  const saved = await save('Rosehips', { q: '"rosehip"', in: 'filename' });
  await makePhoto(path.join(folder, 'rosehip.png'), plain(90, 20, 40));
  const { id } = (await client.upload(path.join(folder, 'rosehip.png'))).data;
  await client.post('/trash', { ids: [id] });
  const isComplete = () => db.selectFrom('media_items').select('status').where('id', '=', id).executeTakeFirst();
  await expect.poll(isComplete).toEqual({ status: 'complete' });
  await settled();
  expect(await newMatches(saved.id)).toBe(0);
  await client.post('/trash/restore', { ids: [id] });
  await settled();
  expect(await newMatches(saved.id)).toBe(1);
  expect((await matchesOf('Rosehips')).map(({ media }) => media.id)).toEqual([id]);
});

test('workspaces do not see each other, and at most 50 of one tell of matches', async () => {
  const { client } = await service.addWorkspace('Elsewhere');
  const theirs = await save('Green', { q: 'green' }, client);
  await save('Green', { q: 'green' });
  await add('grass.png', square([40, 170, 40], [255, 255, 255]));
  await settled();
  expect((await matchesOf('Green')).length).toBe(1);
  expect((await client.get<SavedSearch>(`/saved-searches/${theirs.id}`)).data.new_matches).toBe(0);
  expect((await service.client.patch(`/saved-searches/${theirs.id}`, { notify: true })).status).toBe(404);

  for (let i = 1; i < 50; i++) await save(`Green ${i}`, { q: 'green' }, client);
  const one = { name: 'One more', page: 'search', parameters: { q: 'green' } };
  expect(await client.post('/saved-searches', { ...one, notify: true })).toMatchObject({ status: 403 });
  const quiet = (await client.post<SavedSearch>('/saved-searches', one)).data;
  expect(await client.patch(`/saved-searches/${quiet.id}`, { notify: true })).toMatchObject({
    status: 403,
    error: { code: 'quota_exceeded', details: [{ path: 'quota.saved_searches_that_notify' }] },
  });
});

test.each([
  ['library', { name: 'x' }],
  ['search', {}],
  ['search', { q: 'red', in: 'nowhere' }],
  ['search', { media_id: 'x' }],
])('what cannot be compared tells of nothing: %s %j', async (page, parameters) => {
  const body = { name: JSON.stringify(parameters) + page, page, parameters };
  expect(await service.client.post('/saved-searches', { ...body, notify: true })).toMatchObject({
    status: 400,
    error: { details: [{ path: 'body.notify' }] },
  });
  const { id } = (await service.client.post<SavedSearch>('/saved-searches', body)).data;
  expect((await service.client.patch(`/saved-searches/${id}`, { notify: true })).status).toBe(400);
});
