import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { probeVideo } from '@media-search/media/probe-video';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makeVideo, type Paint, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService, type TestBrowser } from '../../testing/running-service.ts';

type Share = { id: string; url: string; views: number; created_by: string | null; expires_at: string };

let service: Awaited<ReturnType<typeof startTestService>>;
let owner: TestBrowser;
let video: MediaItem;
let photo: MediaItem;

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  owner = await service.signIn();
  const film = path.join(folder, 'secret-name.mp4');
  // The second scene turns from blue to green.
  const paints: Paint[] = [plain(200, 20, 20), (_x, _y, time) => [20, 40 + 60 * time, 200]];
  const scenes = paints.map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(film, { scenes, audio: true });
  const picture = path.join(folder, 'secret-place.jpg');
  await sharp({ create: { width: 3000, height: 1000, channels: 3, background: 'teal' } })
    .withExif({ IFD0: { Model: 'SecretCamera' } })
    .jpeg()
    .toFile(picture);
  video = await client.waitUntilIndexed((await client.upload(film)).data.id);
  photo = await client.waitUntilIndexed((await client.upload(picture)).data.id);
});

afterAll(() => service[Symbol.asyncDispose]());

const share = async (body: object): Promise<Share> => {
  const answer = await service.client.post<Share>('/shares', body);
  expect(answer.status, JSON.stringify(answer.error)).toBe(201);
  return answer.data;
};

/** What a link answers: its page, the whole file, a range of it, the thumbnail. */
const statuses = async (url: string) =>
  Promise.all(
    [
      fetch(url),
      fetch(`${url}/media`),
      fetch(`${url}/media`, { headers: { Range: 'bytes=0-9' } }),
      fetch(`${url}/thumbnail`),
    ].map(async (response) => (await response).status),
  );

test('a moment is cut out: its link gives that clip, and nothing of the item, its name or its file', async () => {
  const { url } = await share({ media_id: video.id, start: 2.2, end: 3, title: '"Blue" <sea>' });
  expect(url).toMatch(/\/s\/[\w-]{43}$/);
  const page = await fetch(url);
  const html = await page.text();
  expect(html).toContain('<title>&#34;Blue&#34; &#60;sea&#62;</title>');
  expect(html).toContain(`<meta property="og:image" content="${url}/thumbnail">`);
  expect(html).not.toMatch(/<script(?! src="\/assets\/share-page-[\w-]+\.js" defer>)|secret-name/);
  for (const id of [video.id, service.workspaceId]) expect(html).not.toContain(id);
  expect(page.headers.get('set-cookie')).toBeNull();
  expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  for (const address of [url, `${url}/media`, `${url}/thumbnail`]) {
    const { headers } = await fetch(address);
    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('X-Robots-Tag')).toContain('noindex');
  }
  const clip = path.join(service.folder, 'clip.mp4');
  await writeFile(clip, Buffer.from(await (await fetch(`${url}/media`)).arrayBuffer()));
  await using probed = await probeVideo(clip, new AbortController().signal);
  expect(probed.duration).toBeCloseTo(0.8, 1);
  // The image is of the clip's first frame; that of the scene is of its middle, which the link does not give.
  const image = Buffer.from(await (await fetch(`${url}/thumbnail`)).arrayBuffer());
  expect((await sharp(image).stats()).channels[1]?.mean).toBeCloseTo(52, -1);
  expect(await statuses(url)).toEqual([200, 200, 206, 200]);
  expect((await fetch(`${url}/download`)).status).toBe(404);
});

test('a photograph is given without what its file says of itself, a whole video as it is', async () => {
  const picture = await share({ media_id: photo.id });
  const bytes = Buffer.from(await (await fetch(`${picture.url}/media`)).arrayBuffer());
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 2560 });
  expect((await sharp(bytes).metadata()).exif).toBeUndefined();
  // As hits of photographs have them.
  expect(await share({ media_id: photo.id, start: 0, end: 0 })).toMatchObject({ start: null, end: null });
  const whole = await share({ media_id: video.id });
  const given = Buffer.from(await (await fetch(`${whole.url}/media`)).arrayBuffer());
  const played = Buffer.from(await (await fetch(video.url ?? '')).arrayBuffer());
  expect(given.equals(played)).toBe(true);
});

test('a link ends when it is revoked, expires, or its item is trashed or deleted; all answer like an unknown one', async () => {
  const { client, db, folder } = service;
  const file = path.join(folder, 'short.mp4');
  await makeVideo(file, { scenes: [{ paint: plain(10, 90, 10), seconds: 2 }] });
  const item = await client.waitUntilIndexed((await client.upload(file)).data.id);
  const body = { media_id: item.id, start: 0.5, end: 1.5 };
  const links = [await share(body), await share(body), await share(body)] as const;
  const [revoked, expired, trashed] = links;
  const unknown = `${service.url}/s/${'A'.repeat(43)}`;
  const ended = [404, 404, 404, 404];
  expect(await statuses(unknown)).toEqual(ended);
  const missing = await (await fetch(unknown)).text();
  for (const { url } of links) expect(await statuses(url)).toEqual([200, 200, 206, 200]);
  const shared = path.join(folder, 'data', 'assets', service.workspaceId, item.id, 'shared');
  // The clip of each and its first frame.
  expect(await readdir(shared)).toHaveLength(6);

  expect((await client.delete(`/shares/${revoked.id}`)).status).toBe(200);
  expect((await client.delete(`/shares/${revoked.id}`)).status).toBe(404);
  await db.updateTable('shares').set({ expires_at: new Date().toISOString() }).where('id', '=', expired.id).execute();
  for (const { url } of [revoked, expired]) {
    expect(await statuses(url)).toEqual(ended);
    expect(await (await fetch(url)).text()).toBe(missing);
  }
  expect(await readdir(shared)).toHaveLength(4);
  expect((await client.get<Share[]>('/shares')).data.map(({ id }) => id)).not.toContain(expired.id);

  await client.post('/trash', { ids: [item.id] });
  expect(await statuses(trashed.url)).toEqual(ended);
  await client.post('/trash/restore', { ids: [item.id] });
  // What was made is made again when it is gone.
  await rm(shared, { recursive: true });
  expect(await statuses(trashed.url)).toEqual([200, 200, 206, 200]);
  await client.delete(`/media/${item.id}`);
  expect(await statuses(trashed.url)).toEqual(ended);
});

test('the list shows links of this workspace, who made them and how often they were opened', async () => {
  const { client } = service;
  const byScript = await share({ media_id: photo.id, expires_in_hours: 24 });
  expect(Date.parse(byScript.expires_at) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  const inDashboard = await client.post<Share>('/shares', { media_id: photo.id }, { Cookie: owner.cookie() });
  for (let i = 0; i < 3; i++) await fetch(byScript.url);
  await fetch(byScript.url, { method: 'HEAD' });
  const read = async (id: string) => (await client.get<Share[]>('/shares')).data.find((each) => each.id === id);
  await expect.poll(async () => (await read(byScript.id))?.views, { timeout: 5000 }).toBe(3);
  expect(await read(byScript.id)).toMatchObject({ url: byScript.url, created_by: null });
  expect(await read(inDashboard.data.id)).toMatchObject({ created_by: 'Owner', views: 0 });
  const other = await service.addWorkspace('Strangers');
  expect((await other.client.get<Share[]>('/shares')).data).toEqual([]);
  expect((await other.client.delete(`/shares/${byScript.id}`)).status).toBe(404);
  expect((await other.client.post('/shares', { media_id: photo.id })).status).toBe(404);
  // The token is stored as a hash and encrypted, never as it is.
  const token = byScript.url.slice(-43);
  const row = await service.db.selectFrom('shares').selectAll().where('id', '=', byScript.id).executeTakeFirstOrThrow();
  const stored = Object.values(row).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
  );
  expect(stored.join('\n')).not.toContain(token);
});

test.each<[what: string, body: object]>([
  ['a moment of a photograph', { start: 0, end: 1, media: 'photo' }],
  ['a moment of no length', { start: 0, end: 0 }],
  ['a moment without an end', { start: 1 }],
  ['an end before the start', { start: 2, end: 1 }],
  ['a moment after the end of the video', { start: 99, end: 100 }],
  ['a moment of more than five minutes', { start: 0, end: 301 }],
  ['more than a year', { expires_in_hours: 9000 }],
  ['no time at all', { expires_in_hours: 0 }],
])('%s is refused', async (_, { media, ...body }: { media?: string }) => {
  const answer = await service.client.post('/shares', { media_id: media ? photo.id : video.id, ...body });
  expect([answer.status, answer.error.code]).toEqual([400, 'validation_error']);
});

test('guessing links is throttled', async () => {
  await using other = await startTestService({ workers: 0 });
  const guess = () => fetch(`${other.url}/s/${'B'.repeat(43)}/media`);
  for (let i = 0; i < 50; i++) expect((await guess()).status).toBe(404);
  const refused = await guess();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
});
