import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Category } from '../../../contract/categories.ts';
import type { Creator } from '../../../contract/creators.ts';
import { type Collection, maxGroups, type Tag } from '../../../contract/item-groups.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService, type TestBrowser } from '../../testing/running-service.ts';
import { createTusRequests } from '../../testing/tus-requests.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let owner: TestBrowser;

beforeAll(async () => {
  service = await startTestService();
  owner = await service.signIn();
});

afterAll(() => service[Symbol.asyncDispose]());

describe('creators', () => {
  test('are created, read and listed by name in pages', async () => {
    const { client } = service;
    for (const name of ['Zoë', '  ana lima ', 'Bo']) {
      const made = await client.post<Creator>('/creators', { name });
      expect(made.status).toBe(201);
      expect(made.data).toMatchObject({ name: name.trim(), media_count: 0 });
      expect(made.headers.get('Location')).toBe(`/api/v1/creators/${made.data.id}`);
      expect((await client.get<Creator>(`/creators/${made.data.id}`)).data).toEqual(made.data);
    }
    const page = await client.get<Creator[]>('/creators?per_page=2');
    expect(page.data.map(({ name }) => name)).toEqual(['ana lima', 'Bo']);
    expect(page.meta).toEqual({ total: 3, page: 1, per_page: 2, total_pages: 2, has_more: true });
    expect((await client.get<Creator[]>('/creators?per_page=2&page=2')).data.map(({ name }) => name)).toEqual(['Zoë']);
    expect((await client.get<Creator[]>('/creators?page=7')).data).toEqual([]);
    expect((await client.get<Creator[]>('/creators?q=LIM')).data.map(({ name }) => name)).toEqual(['ana lima']);
  });

  test.each(['ZOË', 'zoe\u0308', ' Bo '])('of the same name, case ignored, are refused: %s', async (name) => {
    expect(await service.client.post('/creators', { name })).toMatchObject({
      status: 409,
      error: { code: 'already_exists' },
    });
  });

  test.each([{}, { name: '' }, { name: '   ' }, { name: 'x'.repeat(121) }, { name: 7 }, []])(
    'need a name of 1 to 120 characters: %j',
    async (body) => {
      const answer = await service.client.post('/creators', body);
      expect(answer).toMatchObject({ status: 400, error: { code: 'validation_error' } });
      expect(answer.error.details?.[0]?.path).toMatch(/^body/);
    },
  );

  test('may have a name of 120 characters', async () => {
    expect((await service.client.post('/creators', { name: 'x'.repeat(120) })).status).toBe(201);
  });
});

describe('categories', () => {
  test('are managed in the dashboard and read by the API', async () => {
    const made = await owner.post<Category>('/manage/categories', { name: 'Talks', description: 'People talk.' });
    expect(made).toMatchObject({ status: 201, data: { name: 'Talks', description: 'People talk.', media_count: 0 } });
    const { client } = service;
    expect((await client.get<Category>(`/categories/${made.data.id}`)).data).toEqual(made.data);
    const renamed = await owner.patch<Category>(`/manage/categories/${made.data.id}`, { name: 'Interviews' });
    expect(renamed.data).toMatchObject({ name: 'Interviews', description: 'People talk.' });
    expect((await client.get<Category[]>('/categories')).data).toEqual([renamed.data]);
    // Its own name in another case is no conflict.
    expect((await owner.patch(`/manage/categories/${made.data.id}`, { name: 'INTERVIEWS' })).status).toBe(200);
    expect((await owner.delete(`/manage/categories/${made.data.id}`)).status).toBe(200);
    expect((await client.get(`/categories/${made.data.id}`)).status).toBe(404);
    expect((await owner.delete(`/manage/categories/${made.data.id}`)).status).toBe(404);
  });

  test('cannot be created by the API', async () => {
    const answer = await service.client.post('/categories', { name: 'No' });
    expect(answer).toMatchObject({ status: 405, error: { code: 'method_not_allowed' } });
    expect(answer.headers.get('Allow')).toBe('GET, HEAD');
  });
});

describe('on items', () => {
  test('labels are assigned at upload or later and cleared; filters and counts show it at once', async () => {
    const { client } = service;
    const creator = (await client.post<Creator>('/creators', { name: 'Cleo' })).data;
    const category = (await owner.post<Category>('/manage/categories', { name: 'Nature' })).data;
    const file = path.join(service.folder, 'grass.png');
    await makePhoto(file, plain(40, 150, 40));
    const item = (await client.upload(file, 'grass.png', { creator_id: creator.id })).data;
    expect(item).toMatchObject({ creator_id: creator.id, category_id: null });
    await client.waitUntilIndexed(item.id);
    const ids = async (query: string) => (await client.get<MediaItem[]>(`/media?${query}`)).data.map(({ id }) => id);
    const found = async (query: string) => (await client.search('green', query)).data.map(({ id }) => id);

    expect(await ids(`creator_id=${creator.id}`)).toEqual([item.id]);
    expect(await found(`&creator_id=${creator.id}`)).toEqual([item.id]);
    expect(await ids(`category_id=${category.id}`)).toEqual([]);
    expect((await client.get<Creator>(`/creators/${creator.id}`)).data.media_count).toBe(1);

    const changed = await client.patch<MediaItem>(`/media/${item.id}`, { category_id: category.id });
    expect(changed.data).toMatchObject({ creator_id: creator.id, category_id: category.id });
    expect(await ids(`category_id=${category.id}&creator_id=${creator.id}`)).toEqual([item.id]);
    expect(await found(`&category_id=${category.id}`)).toEqual([item.id]);
    expect((await client.get<MediaItem[]>(`/media/highlights?category_id=${category.id}`)).data).toHaveLength(1);
    // Every list has both filters, those of creators and categories too.
    const listed = async (address: string) => (await client.get<{ id: string }[]>(address)).data.map(({ id }) => id);
    const none = item.id;
    expect(await listed(`/creators?creator_id=${creator.id}`)).toEqual([creator.id]);
    expect(await listed(`/creators?category_id=${category.id}`)).toEqual([creator.id]);
    expect(await listed(`/categories?creator_id=${creator.id}&q=nat`)).toEqual([category.id]);
    expect(await listed(`/categories?category_id=${category.id}&creator_id=${none}`)).toEqual([]);
    expect((await client.get(`/creators?category_id=${none}`)).meta).toMatchObject({ total: 0 });

    expect((await client.patch<MediaItem>(`/media/${item.id}`, { creator_id: null })).data.creator_id).toBeNull();
    expect(await ids(`creator_id=${creator.id}`)).toEqual([]);
    // Items stay when their category is deleted.
    await owner.delete(`/manage/categories/${category.id}`);
    expect((await client.get<MediaItem>(`/media/${item.id}`)).data.category_id).toBeNull();
    expect(await found(`&category_id=${category.id}`)).toEqual([]);
  });

  test('collections and tags are given at upload: tags by their names, which are created', async () => {
    const { client } = service;
    const collection = (await client.post<Collection>('/collections', { name: 'Lisbon' })).data;
    expect(collection).toMatchObject({ media_count: 0, covers: [] });
    const sunset = (await client.post<Tag>('/tags', { name: 'Sunset' })).data;
    const file = path.join(service.folder, 'dusk.png');
    await makePhoto(file, plain(90, 60, 40));
    const fields = { collection_id: collection.id, tags: ' SUNSET,new one,sunset' };
    const item = (await client.upload(file, 'dusk.png', fields)).data;
    const tags = (await client.get<Tag[]>('/tags')).data;
    expect(tags.map(({ name, media_count }) => [name, media_count])).toEqual([
      ['new one', 1],
      ['Sunset', 1],
    ]);
    expect(item).toMatchObject({ collection_ids: [collection.id], tag_ids: [sunset.id, tags[0]?.id] });
    await client.waitUntilIndexed(item.id);
    const { covers } = (await client.get<Collection>(`/collections/${collection.id}`)).data;
    expect((await fetch(covers[0] ?? '')).headers.get('Content-Type')).toBe('image/webp');
    for (const [field, value] of [
      ['collection_id', sunset.id],
      ['tags', 'a,,b'],
      ['tags', 'x'.repeat(121)],
    ] as const) {
      const answer = await client.upload(file, 'dusk.png', { [field]: value });
      expect(answer, value).toMatchObject({ status: 400, error: { code: 'validation_error' } });
      expect(answer.error.details?.[0]?.path).toContain(`body.${field}`);
    }
  });

  test('must exist', async () => {
    const { client } = service;
    const nothing = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
    const file = path.join(service.folder, 'sand.png');
    await makePhoto(file, plain(200, 180, 120));
    expect(await client.upload(file, 'sand.png', { category_id: nothing })).toMatchObject({
      status: 400,
      error: { code: 'validation_error', details: [{ path: 'body.category_id' }] },
    });
    const item = (await client.upload(file)).data;
    expect(await client.patch(`/media/${item.id}`, { creator_id: nothing })).toMatchObject({
      status: 400,
      error: { details: [{ path: 'body.creator_id' }] },
    });
    expect((await client.patch(`/media/${item.id}`, {})).status).toBe(400);
    await client.waitUntilIndexed(item.id);
  });
});

test('a label that is deleted after a resumable upload has begun costs the label, not the upload', async () => {
  const { client } = service;
  const file = path.join(service.folder, 'resumed.png');
  await makePhoto(file, plain(7, 7, 77));
  const bytes = await readFile(file);
  const creator = await client.post<Creator>('/creators', { name: 'Stays' });
  const collection = await client.post<Collection>('/collections', { name: 'Goes' });
  const tus = createTusRequests(service);
  const at = await tus.create(bytes.length, { creator_id: creator.data.id, collection_id: collection.data.id });
  expect((await client.delete(`/collections/${collection.data.id}`)).status).toBe(200);
  expect((await tus.patch(at, 0, bytes)).status).toBe(204);
  const { data } = await client.get<MediaItem>(`/media/${(await tus.get(at)).media_id}`);
  expect(data).toMatchObject({ creator_id: creator.data.id, collection_ids: [] });
});

test('tags that fit no longer when a resumable upload ends cost the tags, not the upload; before, it is refused', async () => {
  const { client, db, workspaceId } = service;
  const file = path.join(service.folder, 'full.png');
  await makePhoto(file, plain(7, 77, 7));
  const bytes = await readFile(file);
  const tus = createTusRequests(service);
  const known = await client.post<Tag>('/tags', { name: 'Known' });
  const at = await tus.create(bytes.length, { tags: 'Too late,known' });
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${maxGroups})
    insert into tags select ${workspaceId}, 'x' || i, i, i, 'now' from n
    limit ${maxGroups} - (select count(*) from tags where workspace_id = ${workspaceId})`.execute(db);
  const refused = await tus.post(bytes.length, { tags: 'Known,Too much' });
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('quota.tags')]);
  expect((await tus.post(bytes.length, { tags: 'KNOWN' })).status).toBe(201);
  expect((await tus.patch(at, 0, bytes)).status).toBe(204);
  const { data } = await client.get<MediaItem>(`/media/${(await tus.get(at)).media_id}`);
  expect(data.tag_ids).toEqual([known.data.id]);
});

test('labels that come with bytes which are here already are not applied, and the answer says which', async () => {
  const { client, key } = await service.addWorkspace('Duplicates');
  const file = path.join(service.folder, 'labelled.png');
  await makePhoto(file, plain(11, 22, 33));
  const make = async (address: string, name: string) => (await client.post<{ id: string }>(address, { name })).data.id;
  const [first, second] = [await make('/creators', 'Duplicate one'), await make('/creators', 'Duplicate two')];
  const [inside, outside] = [await make('/collections', 'Inside'), await make('/collections', 'Outside')];
  const own = { creator_id: first, collection_id: inside, tags: 'dusk,dawn' };
  const { data } = await client.upload(file, 'labelled.png', own);
  const again = async (fields: Record<string, string>) => {
    const answer = await client.upload(file, 'labelled.png', fields);
    expect([answer.status, answer.data.id, answer.data.creator_id]).toEqual([200, data.id, first]);
    return answer.meta;
  };
  expect(await again({ creator_id: second })).toEqual({ duplicate: true, not_applied: ['creator_id'] });
  expect(await again({ ...own, collection_id: outside, tags: 'Dusk,noon' })).toEqual({
    duplicate: true,
    not_applied: ['collection_id', 'tags'],
  });
  for (const same of [{}, own, { tags: 'DAWN' }]) expect(await again(same)).toEqual({ duplicate: true });
  // Also of what comes in parts, or need not be sent.
  const tus = createTusRequests({ url: service.url, key });
  const bytes = await readFile(file);
  const at = await tus.create(bytes.length, { creator_id: second, tags: 'dusk' });
  await tus.patch(at, 0, bytes);
  expect(await tus.get(at)).toMatchObject({ duplicate: true, not_applied: ['creator_id'] });
  const known = await tus.post(bytes.length, { sha256: data.sha256 ?? '', collection_id: outside });
  expect(await known.json()).toMatchObject({ data: { duplicate: true, not_applied: ['collection_id'] } });
  const same = await tus.post(bytes.length, { sha256: data.sha256 ?? '', creator_id: first });
  expect((await same.json()) as object).not.toHaveProperty('data.not_applied');
});
