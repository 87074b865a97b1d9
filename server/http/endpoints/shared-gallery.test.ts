import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Comment } from '../../../contract/comments.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { cheapHash } from '../../testing/cheap-hash.ts';
import { readZip } from '../../testing/read-zip.ts';
import { startTestService } from '../../testing/running-service.ts';

type Share = { id: string; url: string; items: number; downloads: number; has_password: boolean; kind: string };

let service: Awaited<ReturnType<typeof startTestService>>;
let video: MediaItem;
let photos: MediaItem[];
let collection: string;

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  const film = path.join(folder, 'secret-film.mp4');
  await makeVideo(film, { scenes: [{ paint: plain(200, 20, 20), seconds: 3 }] });
  video = await client.waitUntilIndexed((await client.upload(film)).data.id);
  photos = [];
  for (const [name, background] of [
    ['secret-one.jpg', 'teal'],
    ['secret-two.jpg', 'olive'],
    ['private.jpg', 'navy'],
  ] as const) {
    const file = path.join(folder, name);
    const image = sharp({ create: { width: 600, height: 400, channels: 3, background } });
    await image
      .withExif({ IFD0: { Model: 'SecretCamera' } })
      .jpeg()
      .toFile(file);
    photos.push(await client.waitUntilIndexed((await client.upload(file)).data.id));
  }
  collection = (await client.post<{ id: string }>('/collections', { name: 'Secret collection' })).data.id;
  await client.post(`/collections/${collection}/items`, { add: [video.id, ...photos.slice(0, 2).map(({ id }) => id)] });
});

afterAll(() => service[Symbol.asyncDispose]());

async function share(body: object): Promise<Share> {
  const answer = await service.client.post<Share>('/shares', body);
  expect(answer.status, JSON.stringify(answer.error)).toBe(201);
  return answer.data;
}

const read = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const keysOf = (html: string): string[] =>
  [...html.matchAll(/href="\/s\/[\w-]{43}\/([\w-]{22})"/g)].map(([, key]) => key ?? '');

const send = (url: string, fields: Record<string, string>, cookie = '') =>
  read(url, { method: 'POST', body: new URLSearchParams(fields), headers: { cookie } });

test('a collection is a page of its items that tells nothing of them, and what is added to it is shown too', async () => {
  const made = await share({ collection_id: collection, title: '<Trip>', note: 'See https://example.org/a.' });
  expect(made).toMatchObject({ kind: 'collection', items: 3, has_password: false });
  const page = await read(made.url);
  expect(page.text).toContain('<title>&#60;Trip&#62;</title>');
  expect(page.text).toContain('<a href="https://example.org/a" target="_blank"');
  expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'; script-src 'self'");
  expect(page.text).not.toMatch(/secret|SecretCamera|<script(?! src=)|onerror/i);
  for (const id of [video.id, photos[0]?.id ?? '', collection, service.workspaceId])
    expect(page.text).not.toContain(id);
  const keys = keysOf(page.text);
  expect(keys).toHaveLength(3);
  const [first = '', second = ''] = keys;
  const item = await read(`${made.url}/${second}`);
  expect(item.text).toContain('2 of 3');
  expect(item.text).not.toMatch(/secret/i);
  const picture = await fetch(`${made.url}/${second}/media`);
  expect((await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).exif).toBeUndefined();
  for (const address of ['media', 'thumbnail']) {
    const { status, headers } = await read(`${made.url}/${first}/${address}`);
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
  }
  // Nothing can be stored unless the link says so.
  for (const address of ['download', `${first}/download`])
    expect((await read(`${made.url}/${address}`)).status).toBe(404);
  await service.client.post(`/collections/${collection}/items`, { add: [photos[2]?.id] });
  expect(keysOf((await read(made.url)).text)).toHaveLength(4);
  await service.client.post(`/collections/${collection}/items`, { remove: [photos[2]?.id] });
});

test('a key of one link opens nothing in another, nor after its item left, went to the trash or the link ended', async () => {
  const { client } = service;
  const [one, two] = [photos[0]?.id ?? '', photos[1]?.id ?? ''];
  const narrow = await share({ ids: [one, one, video.id] });
  expect(narrow).toMatchObject({ kind: 'selection', items: 2 });
  const wide = await share({ collection_id: collection });
  const ofWide = keysOf((await read(wide.url)).text);
  const keys = keysOf((await read(narrow.url)).text);
  const status = async (base: string, key: string) =>
    Promise.all(
      [`${base}/${key}`, `${base}/${key}/media`, `${base}/${key}/thumbnail`].map(
        async (url) => (await read(url)).status,
      ),
    );
  for (const key of ofWide) expect(await status(narrow.url, key)).toEqual([404, 404, 404]);
  expect(await status(narrow.url, keys[0] ?? '')).toEqual([200, 200, 200]);
  await client.post('/trash', { ids: [one] });
  expect(await status(narrow.url, keys[0] ?? '')).toEqual([404, 404, 404]);
  expect(keysOf((await read(narrow.url)).text)).toHaveLength(1);
  await client.post('/trash/restore', { ids: [one] });
  expect(await status(narrow.url, keys[0] ?? '')).toEqual([200, 200, 200]);
  await client.post(`/collections/${collection}/items`, { remove: [two] });
  expect(await status(wide.url, ofWide[2] ?? '')).toEqual([404, 404, 404]);
  await client.post(`/collections/${collection}/items`, { add: [two] });
  await client.delete(`/shares/${narrow.id}`);
  expect(await status(narrow.url, keys[0] ?? '')).toEqual([404, 404, 404]);
  expect((await read(narrow.url)).status).toBe(404);
});

test('a filter is fixed when the link is made; what is of another workspace, or not there, is not found', async () => {
  const made = await share({ filter: { type: 'video' } });
  expect(made.items).toBe(1);
  const other = await service.addWorkspace('Strangers');
  const bodies = [{ ids: [video.id] }, { collection_id: collection }, { filter: { type: 'video' } }];
  for (const body of bodies) expect((await other.client.post('/shares', body)).status).toBe(404);
  expect((await other.client.patch(`/shares/${made.id}`, { title: 'Mine' })).status).toBe(404);
  for (const body of [
    {},
    { ids: [] },
    { ids: [video.id], collection_id: collection },
    { collection_id: collection, start: 0, end: 1 },
    { media_id: video.id, start: 0, end: 1, download: 'original' },
    { ids: [video.id], password: 'short' },
  ]) {
    const answer = await service.client.post('/shares', body);
    expect([answer.status, answer.error.code]).toEqual([400, 'validation_error']);
  }
});

test('downloads are counted: copies without camera and name, originals only where allowed, all as an archive', async () => {
  const copies = await share({ collection_id: collection, download: 'rendition', title: 'Lisbon' });
  const [, second = ''] = keysOf((await read(copies.url)).text);
  const one = await fetch(`${copies.url}/${second}/download`);
  expect(one.headers.get('Content-Disposition')).toContain('attachment; filename="Lisbon.webp"');
  expect((await sharp(Buffer.from(await one.arrayBuffer())).metadata()).exif).toBeUndefined();
  const archive = await fetch(`${copies.url}/download`);
  expect(archive.headers.get('Content-Disposition')).toContain('filename="Lisbon.zip"');
  const names = (await readZip(Buffer.from(await archive.arrayBuffer()))).map(({ name }) => name);
  expect(names).toEqual(['1.mp4', '2.webp', '3.webp']);
  const originals = await share({ collection_id: collection, download: 'original' });
  const all = await readZip(Buffer.from(await (await fetch(`${originals.url}/download`)).arrayBuffer()));
  expect(all.map(({ name }) => name)).toEqual(['secret-film.mp4', 'secret-one.jpg', 'secret-two.jpg']);
  const find = async (id: string) => (await service.client.get<Share[]>('/shares')).data.find((each) => each.id === id);
  await expect.poll(async () => (await find(copies.id))?.downloads, { timeout: 5000 }).toBe(2);
  // What is taken back is not given any more.
  await service.client.patch(`/shares/${copies.id}`, { download: 'none' });
  expect((await read(`${copies.url}/${second}/download`)).status).toBe(404);
});

test('without its password a link says nothing; guesses are limited, and another password ends visits', async () => {
  const password = 'correct horse battery';
  const made = await share({ collection_id: collection, title: 'Locked title', password });
  expect(made.has_password).toBe(true);
  const row = () => service.db.selectFrom('shares').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow();
  expect((await row()).password_hash).toMatch(/^\$scrypt\$/);
  // The same, quickly compared.
  await service.db
    .updateTable('shares')
    .set({ password_hash: cheapHash(password) })
    .where('id', '=', made.id)
    .execute();
  const open = await share({ collection_id: collection });
  const locked = await read(made.url);
  expect(locked.text).toContain('This link has a password');
  expect(locked.text).not.toMatch(/Locked title|og:/);
  const [key = ''] = keysOf((await read(open.url)).text);
  for (const address of [key, `${key}/media`, 'download', 'media'])
    expect((await read(`${made.url}/${address}`)).status).toBe(404);
  expect((await send(`${made.url}/password`, { password: 'wrong' })).status).toBe(403);
  const right = await send(`${made.url}/password`, { password });
  expect(right.status).toBe(303);
  const [cookie = ''] = right.headers.getSetCookie();
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toContain(`Path=${new URL(made.url).pathname}`);
  const visit = { headers: { cookie: cookie.split(';')[0] ?? '' } };
  const opened = await read(made.url, visit);
  expect(opened.text).toContain('Locked title');
  const [own = ''] = keysOf(opened.text);
  expect((await read(`${made.url}/${own}/media`, visit)).status).toBe(200);
  expect((await read(`${made.url}/${own}/media`)).status).toBe(404);
  const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
  const forged = `${name}=${Number(value.split('.')[0]) + 1000}.${value.split('.')[1]}`;
  expect((await read(made.url, { headers: { cookie: forged } })).text).not.toContain('Locked title');
  // A cookie of one link opens no other.
  const second = await share({ collection_id: collection, title: 'Second title', password });
  const moved = { headers: { cookie: `share_${second.id}=${value}` } };
  expect((await read(second.url, moved)).text).not.toContain('Second title');

  await service.client.patch(`/shares/${made.id}`, { password: 'staple of the battery' });
  expect((await read(made.url, visit)).text).not.toContain('Locked title');
  await service.db
    .updateTable('shares')
    .set({ password_hash: cheapHash(password) })
    .where('id', '=', made.id)
    .execute();
  let last = 0;
  for (let i = 0; i < 11 && last !== 429; i++)
    last = (await send(`${made.url}/password`, { password: 'guess' })).status;
  expect(last).toBe(429);
  expect((await send(`${made.url}/password`, { password })).status).toBe(429);
  await service.client.patch(`/shares/${made.id}`, { password: null });
  expect((await read(made.url)).text).toContain('Locked title');
});

test('guests read and write comments only where allowed, within bounds, and members resolve and delete them', async () => {
  const { client } = service;
  await client.post(`/media/${video.id}/comments`, { text: 'Of the team <script>alert(1)</script>', start: 0.5 });
  const silent = await share({ collection_id: collection });
  const [key = ''] = keysOf((await read(silent.url)).text);
  expect((await read(`${silent.url}/${key}`)).text).not.toContain('Of the team');
  const reading = await share({ collection_id: collection, comments: 'read' });
  const [readKey = ''] = keysOf((await read(reading.url)).text);
  const seen = await read(`${reading.url}/${readKey}`);
  expect(seen.text).toContain('Of the team &#60;script&#62;');
  expect(seen.text).not.toContain('<form');
  const body = { name: 'Client', text: 'Lovely', at: '0:01.5' };
  for (const url of [`${silent.url}/${key}`, `${reading.url}/${readKey}`])
    expect((await send(`${url}/comments`, body)).status).toBe(404);

  const writing = await share({ collection_id: collection, comments: 'write' });
  const [writeKey = ''] = keysOf((await read(writing.url)).text);
  const page = `${writing.url}/${writeKey}`;
  expect((await send(`${page}/comments`, body)).status).toBe(303);
  const listed = await client.get<Comment[]>(`/media/${video.id}/comments`);
  const written = listed.data.find(({ text }) => text === 'Lovely');
  expect(written).toMatchObject({ author: { kind: 'guest', id: null, name: 'Client' }, start: 1.5 });
  expect((await read(page)).text).toMatch(/<b>Client<\/b><span class="tag">Guest/);
  for (const wrong of [
    { ...body, name: ' ' },
    { ...body, text: '' },
    { ...body, at: 'soon' },
    { ...body, at: '5:00' },
    { ...body, name: 'x'.repeat(81) },
  ]) {
    expect((await send(`${page}/comments`, wrong)).status).toBe(400);
  }
  expect((await client.patch(`/comments/${written?.id}`, { text: 'Changed' })).status).toBe(403);
  expect((await client.patch(`/comments/${written?.id}`, { resolved: true })).status).toBe(200);
  expect((await client.delete(`/comments/${written?.id}`)).status).toBe(200);
  let refused = '';
  for (let i = 0; i < 12 && refused === ''; i++) {
    const answer = await send(`${page}/comments`, { ...body, text: `No ${i}` });
    if (answer.status === 400) refused = answer.text;
  }
  expect(refused).toContain('many comments within a short time');
});

test('a link to a moment shows the comments of that moment alone, with times of the clip', async () => {
  await service.client.post(`/media/${video.id}/comments`, { text: 'Before it', start: 0.2 });
  await service.client.post(`/media/${video.id}/comments`, { text: 'About the whole' });
  await service.client.post(`/media/${video.id}/comments`, { text: 'Within it', start: 2 });
  const { url } = await share({ media_id: video.id, start: 1, end: 2.5, comments: 'write' });
  const { text } = await read(url);
  expect(text).toContain('Within it');
  expect(text).toContain('data-time="1"');
  expect(text).not.toMatch(/Before it|About the whole/);
  expect((await send(`${url}/comments`, { name: 'C', text: 'At a second', at: '0:01' })).status).toBe(303);
  const stored = (await service.client.get<Comment[]>(`/media/${video.id}/comments?per_page=100`)).data;
  expect(stored.find((each) => each.text === 'At a second')?.start).toBe(2);
});

test('a link to a collection shows it in its own order, also after items were moved', async () => {
  const made = await share({ collection_id: collection });
  const before = keysOf((await read(made.url)).text);
  const moves = [{ media_ids: [photos[1]?.id], before_id: video.id }];
  const moved = await service.client.post<{ moves: object[] }>(`/collections/${collection}/order`, { moves });
  expect(moved.status).toBe(200);
  expect(keysOf((await read(made.url)).text)).toEqual([before[2], before[0], before[1]]);
  const listed = (await service.client.get<(Share & { thumbnail: string })[]>('/shares')).data;
  expect(listed.find(({ id }) => id === made.id)?.thumbnail).toContain(photos[1]?.id);
  await service.client.post(`/collections/${collection}/order`, moved.data);
});

test('forms take nothing but forms, and none of other sites', async () => {
  const { url } = await share({ media_id: video.id, comments: 'write' });
  for (const body of [{ name: 5, text: {} }, [], null]) {
    const headers = { 'Content-Type': 'application/json' };
    for (const form of ['comments', 'password'])
      expect((await read(`${url}/${form}`, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(415);
  }
  const headers = { 'Sec-Fetch-Site': 'cross-site' };
  const body = new URLSearchParams({ name: 'Guest', text: 'In the name of a visitor' });
  expect((await read(`${url}/comments`, { method: 'POST', headers, body })).status).toBe(403);
  // A link in a message leads here from another site.
  expect((await read(url, { headers })).status).toBe(200);
});

test('guests of many links leave room for the comments of members', async () => {
  const { client, db, workspaceId } = service;
  const item = photos[2]?.id ?? '';
  const guest = { workspace_id: workspaceId, media_id: item, body: 'Spam', share_id: 'another', author_name: 'Guest' };
  const created_at = new Date().toISOString();
  await db
    .insertInto('comments')
    .values(Array.from({ length: 500 }, (_, i) => ({ ...guest, id: `spam ${i}`, created_at })))
    .execute();
  const { url } = await share({ media_id: item, comments: 'write' });
  const refused = await send(`${url}/comments`, { name: 'Guest', text: 'One more' });
  expect([refused.status, refused.text.includes('takes no more comments')]).toEqual([400, true]);
  expect((await client.post(`/media/${item}/comments`, { text: 'Of the team' })).status).toBe(201);
});
