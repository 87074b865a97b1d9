import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Copy, CopySearch, DuplicateGroup } from '../../../contract/copies.ts';
import type { MediaChange } from '../../../contract/media-changes.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { makeVideo, type Paint, plain } from '../../../packages/media/samples/draw-media.ts';
import { scenery } from '../../../packages/media/testing/draw-scenery.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const ids = new Map<string, string>();

type Scene = { paint: Paint; seconds: number };

const shot = (number: number, seconds = 4): Scene => ({ paint: scenery(number), seconds });
const mirrored = ({ paint, seconds }: Scene): Scene => ({ paint: (x, y, time) => paint(1 - x, y, time), seconds });
const faster = ({ paint, seconds }: Scene, by: number): Scene => ({
  paint: (x, y, time) => paint(x, y, time * by),
  seconds: seconds / by,
});
const cropped = ({ paint, seconds }: Scene): Scene => ({
  paint: (x, y, time) => paint(0.1 + 0.8 * x, 0.15 + 0.8 * y, time),
  seconds,
});
const card: Scene = {
  paint: (x, y) => (Math.abs(y - 0.5) < 0.1 && x % 0.1 < 0.05 ? [255, 255, 255] : [20, 30, 60]),
  seconds: 3,
};
const black: Scene = { paint: plain(0, 0, 0), seconds: 3 };

const film = [shot(1), shot(2), shot(3)];

const films: Record<string, Scene[]> = {
  film,
  mirrored: film.map(mirrored),
  faster: film.map((scene) => faster(scene, 1.25)),
  cropped: film.map(cropped),
  compilation: [shot(11), shot(2), shot(12)],
  'other film': [shot(21), shot(22), shot(23)],
  'card 1': [card, black, shot(31)],
  'card 2': [card, black, shot(32)],
  'series 1': [shot(90, 3), shot(41), shot(42)],
  'series 2': [shot(90, 3), shot(43), shot(44)],
};

/** Quick to draw. */
const small = { width: 128, height: 72, fps: 10 };

const fileOf = (name: string) => path.join(service.folder, `${name}.mp4`);
const idOf = (name: string) => ids.get(name) as string;

async function upload(name: string, scenes: Scene[]) {
  await makeVideo(fileOf(name), { scenes, ...small });
  const { data } = await service.client.upload(fileOf(name));
  ids.set(name, data.id);
}

const settled = () =>
  vi.waitUntil(
    async () => {
      const jobs = await service.db
        .selectFrom('jobs')
        .select('kind')
        .where('kind', 'in', ['copies', 'fingerprint'])
        .execute();
      return jobs.length === 0;
    },
    { timeout: 120_000, interval: 200 },
  );

const copiesOf = async (name: string): Promise<Map<string, Copy>> => {
  const { data } = await service.client.get<Copy[]>(`/media/${idOf(name)}/copies`);
  return new Map(data.map((copy) => [path.parse(copy.item.filename).name, copy]));
};

beforeAll(async () => {
  // That of the descriptors does not know mirrored pictures again.
  service = await startTestService({ embedder: 'builtin' });
  for (const [name, scenes] of Object.entries(films)) await upload(name, scenes);
  for (const id of ids.values()) expect((await service.client.waitUntilIndexed(id)).status).toBe('complete');
  await settled();
}, 400_000);

afterAll(() => service[Symbol.asyncDispose]());

test('a film is found in its versions and in a compilation, with spans on both sides', async () => {
  const copies = await copiesOf('film');
  expect([...copies.keys()].toSorted()).toEqual(['compilation', 'cropped', 'faster', 'mirrored']);
  expect(copies.get('mirrored')).toMatchObject({ kind: 'version', spans: [{ mirrored: true, speed: 1 }] });
  expect(copies.get('cropped')).toMatchObject({ kind: 'version', spans: [{ mirrored: false }] });
  expect(copies.get('cropped')?.spans[0]?.cropped).toBeGreaterThan(0.15);
  const faster = copies.get('faster');
  expect(faster?.kind).toBe('version');
  // 0.8 seconds of the quicker one pass in a second of the film.
  expect(faster?.spans[0]?.speed).toBeCloseTo(0.8, 1);
  const shared = copies.get('compilation');
  expect(shared?.kind).toBe('overlaps');
  for (const [place, second] of [
    ['start', 4],
    ['end', 8],
    ['other_start', 4],
    ['other_end', 8],
  ] as const)
    expect(Math.abs((shared?.spans[0]?.[place] as number) - second), place).toBeLessThan(0.8);
});

test('the other side says the same the other way round', async () => {
  const back = (await copiesOf('faster')).get('film');
  expect(back?.spans[0]?.speed).toBeCloseTo(1.25, 1);
  expect(back?.kind).toBe('version');
});

test('black, title cards, and what begins two films alike are no reuse', async () => {
  for (const name of ['card 1', 'card 2', 'series 1', 'series 2', 'other film'])
    expect([name, [...(await copiesOf(name)).keys()]]).toEqual([name, []]);
});

test('a video that is sent is found, also a part of an item', async () => {
  await makeVideo(fileOf('sent'), { scenes: [shot(50, 3), shot(3), shot(51, 3)], ...small });
  const form = new FormData();
  form.set('file', await openAsBlob(fileOf('sent')), 'sent.mp4');
  const sent = await service.client.call<Copy[]>('/media/search/video', { method: 'POST', body: form });
  const film = sent.data.find(({ item }) => item.filename === 'film.mp4');
  expect(Math.abs((film?.spans[0]?.start ?? 0) - 3)).toBeLessThan(0.8);
  expect(Math.abs((film?.spans[0]?.other_start ?? 0) - 8)).toBeLessThan(0.8);
  expect(sent.data.map(({ item }) => item.filename)).not.toContain('other film.mp4');

  const part = { media_id: idOf('film'), start: 4.5, end: 8 };
  const found = await service.client.post<Copy[]>('/media/search/video', part);
  const inCompilation = found.data.find(({ item }) => item.filename === 'compilation.mp4');
  expect(inCompilation?.kind).toBe('contains');
  expect(inCompilation?.spans[0]?.start).toBeGreaterThanOrEqual(4.4);
  const elsewhere = await service.client.post<Copy[]>('/media/search/video', { ...part, start: 0, end: 3.5 });
  expect(elsewhere.data.map(({ item }) => item.filename)).not.toContain('compilation.mp4');

  const wrong = await service.client.post('/media/search/video', { ...part, end: 4 });
  expect(wrong.error.code).toBe('validation_error');
  const beyond = await service.client.post('/media/search/video', { media_id: part.media_id, start: 100 });
  expect(beyond.error.code).toBe('validation_error');
  const text = new FormData();
  text.set('file', new Blob(['nothing to see']), 'a.mp4');
  const unreadable = await service.client.call('/media/search/video', { method: 'POST', body: text });
  expect(unreadable.error.code).toBe('unreadable_media');
});

test('the best of a group is kept with the labels of all, which can be undone, and a group can be dismissed', async () => {
  const { client } = service;
  const tag = (await client.post<{ id: string }>('/tags', { name: 'harbour' })).data.id;
  await client.post('/changes', { items: { ids: [idOf('mirrored')] }, change: { add_tag_ids: [tag], rating: 4 } });
  const [group] = (await client.get<DuplicateGroup[]>('/media/duplicates')).data;
  expect(group?.items.map(({ filename }) => filename).toSorted()).toEqual([
    'cropped.mp4',
    'faster.mp4',
    'film.mp4',
    'mirrored.mp4',
  ]);
  // The quicker one is shorter.
  expect(group?.items.at(-1)?.filename).toBe('faster.mp4');

  const others = ['mirrored', 'faster'].map(idOf);
  const made = await client.post<MediaChange[]>('/media/duplicates/keep', { keep_id: idOf('film'), other_ids: others });
  expect(made.status).toBe(200);
  const ended = (id: string) =>
    vi.waitUntil(async () => (await client.get<MediaChange>(`/changes/${id}`)).data.state === 'done');
  for (const { id } of made.data) await ended(id);
  expect((await client.get<MediaItem>(`/media/${idOf('film')}`)).data).toMatchObject({ tag_ids: [tag], rating: 4 });
  expect((await client.get(`/media/${others[0]}`)).status).toBe(404);
  expect([...(await copiesOf('film')).keys()].toSorted()).toEqual(['compilation', 'cropped']);

  for (const { id } of made.data.toReversed())
    await ended((await client.post<MediaChange>(`/changes/${id}/undo`, {})).data.id);
  await settled();
  expect((await client.get<MediaItem>(`/media/${idOf('film')}`)).data).toMatchObject({ tag_ids: [], rating: 0 });
  expect((await copiesOf('film')).size).toBe(4);

  const pair = [idOf('film'), idOf('cropped')];
  expect((await client.post('/media/duplicates/dismiss', { ids: pair })).data).toEqual({ pairs: 1 });
  expect((await copiesOf('film')).has('cropped')).toBe(false);
  await client.post('/media/duplicates/dismiss', { ids: pair, dismissed: false });
  expect((await copiesOf('film')).has('cropped')).toBe(true);
});

test('items of before get fingerprints in the background, which can be paused and resumed', async () => {
  const { client, db, workspaceId } = service;
  const state = async () => (await client.get<CopySearch>('/media/copies')).data;
  expect(await state()).toMatchObject({ state: 'done', pending: 0 });
  await db.deleteFrom('item_copies').execute();
  await db.deleteFrom('fingerprints').where('workspace_id', '=', workspaceId).execute();
  expect((await client.patch<CopySearch>('/media/copies', { paused: true })).data).toMatchObject({
    state: 'paused',
    pending: Object.keys(films).length,
  });
  expect(await db.selectFrom('jobs').selectAll().execute()).toEqual([]);
  await client.patch('/media/copies', { paused: false });
  await vi.waitUntil(async () => (await state()).state === 'done', { timeout: 120_000, interval: 300 });
  await settled();
  expect((await copiesOf('film')).size).toBe(4);
}, 180_000);
