import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MapPoint } from '../../../contract/highlights.ts';
import type { MediaItem } from '../../../contract/media.ts';
import type { SearchHit } from '../../../contract/search.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService, type TestBrowser, type TestClient } from '../../testing/running-service.ts';

/**
 * Two workspaces on one service. Nothing of one exists for the other: nothing is seen, guessed,
 * counted, changed or deleted.
 */

let service: Awaited<ReturnType<typeof startTestService>>;
let victim: {
  media: MediaItem;
  chunk: string;
  creator: string;
  category: string;
  collection: string;
  tag: string;
  key: string;
  person: string;
};
let stranger: { client: TestClient; browser: TestBrowser; media: MediaItem };
let snapshot: string;

async function describeVictim(): Promise<string> {
  const { db, workspaceId } = service;
  const tables = [
    'workspaces',
    'media_items',
    'chunks',
    'creators',
    'categories',
    'collections',
    'collection_items',
    'tags',
    'item_tags',
    'memberships',
    'invitations',
    'webhooks',
    'webhook_deliveries',
  ] as const;
  const rows = [];
  for (const table of tables) {
    const column = table === 'workspaces' ? 'id' : 'workspace_id';
    rows.push(
      await db
        .selectFrom(table as 'chunks')
        .selectAll()
        .where(column as 'workspace_id', '=', workspaceId)
        .execute(),
    );
  }
  const keys = await db
    .selectFrom('api_keys')
    .select(['id', 'hash', 'expires_at', 'revoked_at'])
    .where('workspace_id', '=', workspaceId)
    .execute();
  return JSON.stringify([rows, keys]);
}

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  const owner = await service.signIn();
  const film = path.join(folder, 'red.mkv');
  await makeVideo(film, {
    scenes: [{ paint: plain(200, 20, 20), seconds: 2 }],
    subtitles: [{ start: 0, end: 2, text: 'The secret harbour' }],
  });
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Ana' })).data.id;
  const category = (await owner.post<{ id: string }>('/manage/categories', { name: 'Talks' })).data.id;
  const uploaded = await client.upload(film, 'red.mkv', { creator_id: creator, category_id: category });
  const media = await client.waitUntilIndexed(uploaded.data.id);
  const collection = (await client.post<{ id: string }>('/collections', { name: 'Lisbon' })).data.id;
  const tag = (await client.post<{ id: string }>('/tags', { name: 'sunset' })).data.id;
  for (const group of [`collections/${collection}`, `tags/${tag}`])
    await client.post(`/${group}/items`, { add: [media.id] });
  const chunk = (await client.get<{ id: string }[]>(`/media/${media.id}/chunks`)).data[0]?.id ?? '';
  const key = (await owner.get<{ id: string }[]>('/manage/api-keys')).data[0]?.id ?? '';
  const person = (await owner.get<{ id: string }[]>('/manage/members')).data[0]?.id ?? '';
  await owner.post('/manage/invitations', { role: 'member' });
  victim = { media, chunk, creator, category, collection, tag, key, person };

  const other = await service.addWorkspace('Strangers');
  const photo = path.join(folder, 'green.png');
  await makePhoto(photo, plain(20, 160, 40));
  const own = await other.client.waitUntilIndexed((await other.client.upload(photo)).data.id);
  stranger = { client: other.client, browser: await service.signIn(other.id), media: own };
  snapshot = await describeVictim();
});

afterAll(async () => {
  expect(await describeVictim()).toBe(snapshot);
  await service[Symbol.asyncDispose]();
});

test('nothing of another workspace is listed, searched or counted', async () => {
  const { client } = stranger;
  const own = stranger.media.id;
  expect((await client.get<MediaItem[]>('/media')).data.map(({ id }) => id)).toEqual([own]);
  expect(await client.get('/media?q=red')).toMatchObject({ data: [], meta: { total: 0 } });
  const hits = [
    ...(await client.search('secret harbour red')).data,
    ...(await client.search('secret harbour red', '&dedupe=1&rerank=1')).data,
    ...(await client.get<SearchHit[]>('/media/highlights')).data,
    ...(await client.get<MapPoint[]>('/media/highlights/map')).data,
    ...(await client.post<SearchHit[]>('/media/search/image', { media_id: own })).data,
  ];
  expect(new Set(hits.map(({ id }) => id))).toEqual(new Set([own]));
  expect((await client.get(`/media/clips?ids=${victim.chunk}`)).data).toEqual([]);
  expect((await client.post('/trash', { ids: [victim.media.id] })).data).toEqual({ ids: [] });
  expect((await client.delete('/trash')).data).toMatchObject({ deleted: 0 });
  expect((await client.get('/creators')).data).toEqual([]);
  for (const list of ['/categories', '/collections', '/tags']) expect((await client.get(list)).data).toEqual([]);
  expect((await client.get<Workspace>('/workspace')).data.usage).toMatchObject({ media_items: 1, chunks: 1 });
  expect((await client.post<{ media_id: null }[]>('/media/check', { sha256: [victim.media.sha256] })).data).toEqual([
    { sha256: victim.media.sha256, media_id: null },
  ]);
});

test('filters with identifiers of another workspace find nothing', async () => {
  const { client } = stranger;
  for (const filter of [`creator_id=${victim.creator}`, `category_id=${victim.category}`]) {
    expect(await client.get(`/media?${filter}`)).toMatchObject({ status: 200, data: [], meta: { total: 0 } });
    expect(await client.search('red green', `&${filter}`)).toMatchObject({ status: 200, data: [] });
    expect(await client.get(`/media/highlights?${filter}`)).toMatchObject({ status: 200, data: [] });
    expect(await client.post(`/media/search/image?${filter}`, { media_id: stranger.media.id })).toMatchObject({
      status: 200,
      data: [],
    });
  }
});

test('every endpoint treats an identifier of another workspace as unknown', async () => {
  const { client, browser, media } = stranger;
  const foreign = victim.media.id;
  const answers = {
    getMedia: await client.get(`/media/${foreign}`),
    updateMedia: await client.patch(`/media/${foreign}`, { creator_id: null }),
    deleteMedia: await client.delete(`/media/${foreign}`),
    retryMedia: await client.post(`/media/${foreign}/retry`, undefined),
    listChunks: await client.get(`/media/${foreign}/chunks`),
    listTexts: await client.get(`/media/${foreign}/texts`),
    createShare: await client.post('/shares', { media_id: foreign }),
    searchByMedia: await client.post('/media/search/image', { media_id: foreign }),
    searchByMoment: await client.post('/media/search/image', { media_id: foreign, at: 1 }),
    searchByChunk: await client.post('/media/search/image', { media_id: media.id, chunk_id: victim.chunk }),
    getCreator: await client.get(`/creators/${victim.creator}`),
    getCategory: await client.get(`/categories/${victim.category}`),
    getCollection: await client.get(`/collections/${victim.collection}`),
    updateCollection: await client.patch(`/collections/${victim.collection}`, { name: 'Mine' }),
    deleteCollection: await client.delete(`/collections/${victim.collection}`),
    changeCollection: await client.post(`/collections/${victim.collection}/items`, { remove: [foreign] }),
    getTag: await client.get(`/tags/${victim.tag}`),
    renameTag: await client.patch(`/tags/${victim.tag}`, { name: 'Mine' }),
    deleteTag: await client.delete(`/tags/${victim.tag}`),
    changeTag: await client.post(`/tags/${victim.tag}/items`, { add: [media.id] }),
    mergeTag: await client.post(`/tags/${victim.tag}/merge`, { into: victim.tag }),
    revealApiKey: await browser.get(`/manage/api-keys/${victim.key}/secret`),
    rotateApiKey: await browser.post(`/manage/api-keys/${victim.key}/rotate`),
    revokeApiKey: await browser.delete(`/manage/api-keys/${victim.key}`),
    changeRole: await browser.patch(`/manage/members/${victim.person}`, { role: 'member' }),
    removeMember: await browser.delete(`/manage/members/${victim.person}`),
    revokeInvitation: await browser.delete(`/manage/invitations/${await invitationOfVictim()}`),
    updateCategory: await browser.patch(`/manage/categories/${victim.category}`, { name: 'Mine' }),
    deleteCategory: await browser.delete(`/manage/categories/${victim.category}`),
    renameCreator: await browser.patch(`/manage/creators/${victim.creator}`, { name: 'Mine' }),
    deleteCreator: await browser.delete(`/manage/creators/${victim.creator}`),
    switchWorkspace: await browser.post('/auth/workspace', { workspace_id: service.workspaceId }),
  };
  for (const [what, { status, error }] of Object.entries(answers)) {
    expect([status, error.code], what).toEqual([404, 'not_found']);
  }
});

test('creators and categories of another workspace cannot be assigned, and their names are not reserved', async () => {
  const { client, browser, media } = stranger;
  for (const fields of [{ creator_id: victim.creator }, { category_id: victim.category }]) {
    expect((await client.patch(`/media/${media.id}`, fields)).error.code).toBe('validation_error');
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', await openAsBlob(path.join(service.folder, 'red.mkv')), 'red.mkv');
    expect((await client.call('/media/upload', { method: 'POST', body: form })).error.code).toBe('validation_error');
  }
  expect((await client.post('/creators', { name: 'Ana' })).status).toBe(201);
  expect((await browser.post('/manage/categories', { name: 'Talks' })).status).toBe(201);
});

test('items of another workspace do not come into a collection or tag', async () => {
  const { client, media } = stranger;
  const tag = (await client.post<{ id: string }>('/tags', { name: 'sunset' })).data.id;
  const changed = await client.post(`/tags/${tag}/items`, { add: [victim.media.id, media.id] });
  expect(changed).toMatchObject({ status: 200, data: { added: [media.id], removed: [], media_count: 1 } });
  expect((await client.post(`/tags/${tag}/merge`, { into: victim.tag })).error.code).toBe('validation_error');
  for (const filter of [`collection_id=${victim.collection}`, `tag_id=${victim.tag}`]) {
    expect(await client.get(`/media?${filter}`)).toMatchObject({ status: 200, data: [], meta: { total: 0 } });
  }
});

test('the same bytes are a separate item in each workspace; deleting one keeps the other', async () => {
  const { client } = stranger;
  const copy = await client.upload(path.join(service.folder, 'red.mkv'));
  expect(copy.status).toBe(202);
  expect(copy.data.id).not.toBe(victim.media.id);
  await client.waitUntilIndexed(copy.data.id);
  await client.delete(`/media/${copy.data.id}`);
  expect((await fetch(victim.media.url ?? '')).status).toBe(200);
});

test('a signed URL serves only the item that it was signed for', async () => {
  const own = new URL(stranger.media.download_url);
  const foreign = new URL(victim.media.download_url);
  foreign.search = own.search;
  expect((await fetch(foreign)).status).toBe(403);
});

async function invitationOfVictim(): Promise<string> {
  const { id } = await service.db
    .selectFrom('invitations')
    .select('id')
    .where('workspace_id', '=', service.workspaceId)
    .executeTakeFirstOrThrow();
  return id;
}
