import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Collection } from '../../../contract/item-groups.ts';
import type { MediaChange } from '../../../contract/media-changes.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { catalogFile } from '../../platform/storage/data-directory.ts';
import { readGreeting, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, startServiceOn, startTestService, type TestClient } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  await addItems(service.db, service.workspaceId, 40);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Adds items without files. */
async function addItems(db: typeof service.db, workspaceId: string, count: number): Promise<void> {
  const now = '2026-01-01T00:00:00.000Z';
  const rows = Array.from({ length: count }, (_, i) => ({
    workspace_id: workspaceId,
    id: crypto.randomUUID(),
    filename: i === 0 ? 'first.png' : `clip ${i}.png`,
    type: 'image' as const,
    status: 'complete' as const,
    size: 1,
    mime_type: 'image/png',
    sha256: String(i).padStart(64, '0'),
    created_at: now,
    updated_at: now,
  }));
  for (let first = 0; first < count; first += 1000)
    await db
      .insertInto('media_items')
      .values(rows.slice(first, first + 1000))
      .execute();
}

const total = async ({ get }: TestClient, query: string) =>
  (await get<MediaItem[], { total: number }>(`/media?per_page=1&${query}`)).meta.total;

const settled = (client: TestClient, id: string) =>
  vi.waitFor(
    async () => {
      const { data } = await client.get<MediaChange>(`/changes/${id}`);
      expect(data.state).not.toBe('running');
      return data;
    },
    { timeout: 100_000, interval: 50 },
  );

test('a request gives a tag to all that a filter leaves, and another one takes it back', async () => {
  const { client } = service;
  const tag = (await client.post<{ id: string }>('/tags', { name: 'boats' })).data.id;
  const body = { items: { filter: { type: 'image', q: 'clip' } }, change: { add_tag_ids: [tag] } };
  const answer = await client.post<MediaChange>('/changes', body, { 'Idempotency-Key': 'boats' });
  expect(answer).toMatchObject({ status: 201, data: { total: 39, undoes: null } });
  expect(answer.headers.get('Location')).toBe(`/api/v1/changes/${answer.data.id}`);
  expect(await settled(client, answer.data.id)).toMatchObject({ state: 'done', done: 39, can_undo: true });
  expect(await total(client, `tag_id=${tag}`)).toBe(39);

  const again = await client.post<MediaChange>('/changes', body, { 'Idempotency-Key': 'boats' });
  expect(again).toMatchObject({ status: 201, data: { id: answer.data.id, state: 'done' } });
  const undo = await client.post<MediaChange>(`/changes/${answer.data.id}/undo`, {});
  expect(undo).toMatchObject({ status: 201, data: { undoes: answer.data.id, can_undo: false } });
  expect(await settled(client, undo.data.id)).toMatchObject({ state: 'done', done: 39 });
  expect(await total(client, `tag_id=${tag}`)).toBe(0);
  expect(await client.post(`/changes/${answer.data.id}/undo`, {})).toMatchObject({
    status: 409,
    error: { code: 'not_ready' },
  });
});

test.each<[string, unknown, string]>([
  ['neither items nor filter', { items: {}, change: { rating: 1 } }, 'body.items.ids'],
  ['both', { items: { ids: [crypto.randomUUID()], filter: {} }, change: { rating: 1 } }, 'body.items.ids'],
  [
    'exceptions of named items',
    { items: { ids: [crypto.randomUUID()], except_ids: [] }, change: { rating: 1 } },
    'body.items.except_ids',
  ],
  [
    'a filter that is spelled wrong',
    { items: { filter: { rating_mim: 4 } }, change: { delete: true } },
    'body.items.filter.rating_mim',
  ],
  [
    'a filter with a wrong value',
    { items: { filter: { rating_min: 9 } }, change: { delete: true } },
    'body.items.filter.rating_min',
  ],
  ['no change', { items: { filter: {} }, change: {} }, 'body.change'],
  [
    'a deletion with something else',
    { items: { filter: {} }, change: { delete: true, rating: 1 } },
    'body.change.delete',
  ],
  ['a deletion that is false', { items: { filter: {} }, change: { delete: false } }, 'body.change.delete'],
  ['a rating beyond 5', { items: { filter: {} }, change: { rating: 6 } }, 'body.change.rating'],
  [
    'an unknown creator',
    { items: { filter: {} }, change: { creator_id: crypto.randomUUID() } },
    'body.change.creator_id',
  ],
  [
    'an unknown tag',
    { items: { filter: {} }, change: { add_tag_ids: [crypto.randomUUID()] } },
    'body.change.add_tag_ids.0',
  ],
])('a change of %s is refused by name, and changes nothing', async (_, body, place) => {
  const { client } = service;
  const answer = await client.post('/changes', body);
  expect(answer.status).toBe(400);
  expect(answer.error.details?.map(({ path }) => path)).toContain(place);
  expect(await total(client, '')).toBe(40);
});

test('a change of another workspace cannot be seen, cancelled or undone', async () => {
  const { client } = service;
  const { data } = await client.post<MediaChange>('/changes', { items: { filter: {} }, change: { rating: 4 } });
  await settled(client, data.id);
  const { client: other } = await service.addWorkspace('Others');
  expect((await other.get(`/changes/${data.id}`)).status).toBe(404);
  expect((await other.delete(`/changes/${data.id}`)).status).toBe(404);
  expect((await other.post(`/changes/${data.id}/undo`, {})).status).toBe(404);
  const body = { items: { filter: {} }, change: { delete: true } };
  expect(await other.post('/changes', body)).toMatchObject({ data: { total: 0, state: 'done' } });
  expect(await total(client, 'rating_min=4')).toBe(40);
});

test('a service that is killed in the middle of a change goes on with it at its next start', async () => {
  await using folder = await temporaryFolder();
  await (await startServiceOn(folder.path, { workers: 0 })).stop();
  const db = await openCatalog(catalogFile(folder.path));
  const { id: workspaceId } = await db.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  await addItems(db, workspaceId, 12_000);
  const child = spawnProgram('main', [], { DATA_DIR: folder.path, PORT: '0', WORKERS: '1' });
  const { url, key } = await readGreeting(child);
  const first = createTestClient(url, key);
  const { data } = await first.post<MediaChange>('/changes', { items: { filter: {} }, change: { rating: 5 } });
  expect(data).toMatchObject({ state: 'running', total: 12_000 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const rated = async () => (await db.selectFrom('media_items').select('id').where('rating', '=', 5).execute()).length;
  const atDeath = await rated();
  expect(atDeath).toBeLessThan(12_000);

  await using next = await startServiceOn(folder.path, { workers: 0 });
  expect(await settled(next.client, data.id)).toMatchObject({ state: 'done', done: 12_000, skipped: 0 });
  expect(await rated()).toBe(12_000);
  const undo = await next.client.post<MediaChange>(`/changes/${data.id}/undo`, {});
  expect(await settled(next.client, undo.data.id)).toMatchObject({ state: 'done', done: 12_000 });
  expect(await rated()).toBe(0);
  await db.destroy();
}, 300_000);

test('a collection has a description, a cover and an order, and the list shows it in that order', async () => {
  const { client } = service;
  const made = await client.post<Collection>('/collections', { name: 'Harbour', description: ' Boats ' });
  expect(made.data).toMatchObject({ description: 'Boats', cover_id: null, media_count: 0 });
  const { id } = made.data;
  const ids = (await client.get<MediaItem[]>('/media?per_page=3')).data.map((item) => item.id);
  const change = { add_collection_ids: [id] };
  await client.post<MediaChange>('/changes', { items: { ids }, change });
  const listed = async () =>
    (await client.get<MediaItem[]>(`/media?collection_id=${id}&sort=position`)).data.map((item) => item.id);
  const before = await listed();
  const move = { media_ids: [before[2]], before_id: before[0] };
  const moved = await client.post(`/collections/${id}/order`, { moves: [move] });
  expect(await listed()).toEqual([before[2], before[0], before[1]]);
  await client.post(`/collections/${id}/order`, moved.data);
  expect(await listed()).toEqual(before);
  expect(await client.post(`/collections/${id}/order`, { moves: [{ ...move, before_id: id }] })).toMatchObject({
    status: 400,
    error: { details: [{ path: 'body.moves.0.before_id' }] },
  });
  expect(await client.get('/media?sort=position')).toMatchObject({ status: 400 });
  expect(await client.patch(`/collections/${id}`, { description: 'x'.repeat(2001) })).toMatchObject({ status: 400 });
  expect(await client.patch(`/collections/${id}`, {})).toMatchObject({ status: 400 });
  expect(await client.patch(`/collections/${id}`, { name: 'Port' })).toMatchObject({
    data: { name: 'Port', description: 'Boats' },
  });
});
