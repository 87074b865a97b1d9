import { beforeEach, expect, test, vi } from 'vitest';
import type { Copy, DuplicateGroup } from '../../../contract/copies.ts';
import type { MediaChange } from '../../../contract/media-changes.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { addSource, setSource, type SourceRow } from '../../catalog/sources/sources.ts';
import { addCopies as addCopiesTo } from '../../testing/add-copies.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeEach(async () => {
  service = await startTestService({ workers: 0 });
  return () => service[Symbol.asyncDispose]();
});

const addCopies = (count: number): Promise<string[]> => addCopiesTo(service, count);
const groups = async () => (await service.client.get<DuplicateGroup[]>('/media/duplicates')).data;
const item = async (id: string) => (await service.client.get<MediaItem>(`/media/${id}`)).data;
const ended = (id: string) =>
  vi.waitUntil(async () => (await service.client.get<MediaChange>(`/changes/${id}`)).data.state === 'done', {
    timeout: 20_000,
  });
async function keep(keep_id: string, other_ids: string[]): Promise<MediaChange[]> {
  const { status, data } = await service.client.post<MediaChange[]>('/media/duplicates/keep', { keep_id, other_ids });
  expect(status).toBe(200);
  for (const { id } of data) await ended(id);
  return data;
}

test('a copy whose original is damaged, missing or away is not proposed, whatever its size', async () => {
  const { db, workspaceId } = service;
  const [large = '', middle = '', small = ''] = await addCopies(3);
  expect((await groups())[0]?.best_id).toBe(large);
  const set = (id: string, columns: object) =>
    db.updateTable('media_items').set(columns).where('id', '=', id).execute();
  await set(large, { original_problem: 'original_damaged' });
  expect((await groups())[0]?.best_id).toBe(middle);
  const body = { name: 'NAS', location: '/mnt/nas', include: [], exclude: [] };
  const source = (await addSource(db, workspaceId, { ...body, kind: 'folder', managed: true })) as SourceRow;
  await set(middle, { source_id: source.id, source_path: 'a.png' });
  expect((await groups())[0]?.best_id).toBe(middle);
  await setSource(db, source, { offline_since: new Date().toISOString() });
  expect((await groups())[0]).toMatchObject({ best_id: small, items: [{ id: small }, { id: large }, { id: middle }] });
  // Where none is whole, the best of them.
  await set(small, { original_problem: 'original_missing' });
  expect((await groups())[0]?.best_id).toBe(large);
});

test('more labels are merged than a request of people may name, and undone', async () => {
  const { client } = service;
  const [first = '', other = ''] = await addCopies(2);
  const tags: string[] = [];
  for (let i = 0; i < 25; i++) tags.push((await client.post<{ id: string }>('/tags', { name: `tag ${i}` })).data.id);
  for (const id of tags) await client.post(`/tags/${id}/items`, { add: [other] });
  const collection = (await client.post<{ id: string }>('/collections', { name: 'Cuts' })).data.id;
  await client.post(`/collections/${collection}/items`, { add: [other] });
  const changes = await keep(first, [other]);
  expect(new Set((await item(first)).tag_ids)).toEqual(new Set(tags));
  expect((await item(first)).collection_ids).toEqual([collection]);
  for (const { id } of changes.toReversed())
    await ended((await client.post<MediaChange>(`/changes/${id}/undo`, {})).data.id);
  expect((await item(first)).tag_ids).toEqual([]);
  expect(new Set((await item(other)).tag_ids)).toEqual(new Set(tags));
});

test('a large group is kept or dismissed as a whole', async () => {
  const [first = '', ...others] = await addCopies(130);
  expect((await groups())[0]?.items).toHaveLength(130);
  const { client } = service;
  const dismissed = await client.post('/media/duplicates/dismiss', { ids: [first, ...others] });
  expect(dismissed).toMatchObject({ status: 200, data: { pairs: 129 } });
  await client.post('/media/duplicates/dismiss', { ids: [first, ...others], dismissed: false });
  await keep(first, others);
  expect((await client.get<MediaItem[]>('/media')).data.map(({ id }) => id)).toEqual([first]);
});

test('two people who keep different copies at once leave one', async () => {
  const { client } = service;
  for (let round = 0; round < 5; round++) {
    const [one = '', other = ''] = await addCopies(2);
    const answers = await Promise.all([
      client.post<MediaChange[]>('/media/duplicates/keep', { keep_id: one, other_ids: [other] }),
      client.post<MediaChange[]>('/media/duplicates/keep', { keep_id: other, other_ids: [one] }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404]));
    for (const { status, data } of answers) if (status === 200) for (const { id } of data) await ended(id);
    const left = new Set((await client.get<MediaItem[]>('/media?per_page=100')).data.map(({ id }) => id));
    expect([one, other].filter((id) => left.has(id))).toHaveLength(1);
  }
});

test('photographs of one burst are one item, and the one that is kept outlives its stack', async () => {
  const { client, db } = service;
  const [shown = '', behind = '', apart = ''] = await addCopies(3);
  await db.updateTable('media_items').set({ stack_id: shown }).where('id', 'in', [shown, behind]).execute();
  expect((await groups())[0]?.items.map(({ id }) => id)).toEqual([shown, apart]);
  const used = async (id: string) => (await client.get<Copy[]>(`/media/${id}/copies`)).data.map((copy) => copy.item.id);
  expect([await used(shown), await used(behind)]).toEqual([[apart], []]);
  await keep(behind, [shown]);
  expect((await client.get<MediaItem[]>('/media')).data.map(({ id }) => id)).toEqual([apart, behind]);
});

test('what is of another workspace is neither kept nor moved to the trash, nor are its labels read', async () => {
  const [first = '', other = ''] = await addCopies(2);
  const stranger = await service.addWorkspace('Other');
  for (const [keep_id, id] of [
    [first, other],
    [other, first],
  ] as const) {
    expect((await stranger.client.post('/media/duplicates/keep', { keep_id, other_ids: [id] })).status).toBe(404);
    expect((await stranger.client.get(`/media/${id}/copies`)).status).toBe(404);
    expect((await stranger.client.post('/media/search/video', { media_id: id })).status).toBe(404);
  }
  expect((await stranger.client.post('/media/duplicates/dismiss', { ids: [first, other] })).data).toEqual({ pairs: 0 });
  expect((await stranger.client.get<unknown[]>('/media/duplicates')).data).toEqual([]);
  expect(await groups()).toHaveLength(1);
});
