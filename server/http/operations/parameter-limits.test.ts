import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { filesPath } from '../../assets/asset-urls.ts';
import { startTestService } from '../../testing/running-service.ts';

/** The guarantees of the API at the limits of its parameters. */

type Found = { id: string; chunk_id: string };

let service: Awaited<ReturnType<typeof startTestService>>;
/** Four photographs: by creator a or b, in category x or y. */
const items: Record<string, MediaItem> = {};
const labels: Record<string, string> = {};

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  const browser = await service.signIn();
  for (const name of ['a', 'b']) labels[name] = (await client.post<{ id: string }>('/creators', { name })).data.id;
  for (const name of ['x', 'y']) {
    labels[name] = (await browser.post<{ id: string }>('/manage/categories', { name })).data.id;
  }
  for (const [i, name] of ['ax', 'ay', 'bx', 'by'].entries()) {
    const file = path.join(folder, `red ${name}.png`);
    await makePhoto(file, plain(200, 20 + 10 * i, 20));
    const fields = { creator_id: labels[name[0] as string] ?? '', category_id: labels[name[1] as string] ?? '' };
    items[name] = await client.waitUntilIndexed((await client.upload(file, `red ${name}.png`, fields)).data.id);
  }
});

afterAll(() => service[Symbol.asyncDispose]());

/** Every way to search, with more parameters. */
const searches = (more: string) => {
  const { client } = service;
  const body = { media_id: items['ax']?.id };
  return {
    text: () => client.get<Found[]>(`/media/search?q=red&${more}`),
    image: () => client.post<Found[]>(`/media/search/image?${more}`, body),
    highlights: () => client.get<Found[]>(`/media/highlights?${more}`),
    map: () => client.get<Found[]>(`/media/highlights/map?${more}`),
  };
};

test.each([
  ['missing', undefined, 400],
  ['empty', '', 400],
  ['blank', '   ', 400],
  ['of one character', 'r', 200],
  ['of 500', 'r'.repeat(500), 200],
  ['of 501', 'r'.repeat(501), 400],
  ['of 500 beyond the basic plane', '🎬'.repeat(500), 200],
  ['of 501 beyond the basic plane', '🎬'.repeat(501), 400],
])('q is required and has 1 to 500 characters, as people count them: %s', async (_, q, status) => {
  const answer = await service.client.get<Found[], { query: string }>(
    q === undefined ? '/media/search' : `/media/search?q=${encodeURIComponent(q)}`,
  );
  expect(answer.status).toBe(status);
  if (status === 200) expect(answer.meta.query).toBe(q);
  else expect(answer.error).toMatchObject({ code: 'validation_error', details: [{ path: 'query.q' }] });
});

test.each(['0', '1', '100', '101', '-1', '1.5', '', 'x', '1e1'])('n is 1 to 100 on every search: %j', async (n) => {
  const { map: _, ...ranked } = searches(`n=${n}`);
  for (const [kind, search] of Object.entries(ranked)) {
    const answer = await search();
    const right = n === '1' || n === '100';
    expect(answer.status, kind).toBe(right ? 200 : 400);
    if (right) expect(answer.data, kind).toHaveLength(n === '1' ? 1 : 4);
    else expect(answer.error.details?.[0]?.path, kind).toBe('query.n');
  }
});

test.each([
  [['a'], ['ax', 'ay']],
  [['b'], ['bx', 'by']],
  [['x'], ['ax', 'bx']],
  [['a', 'y'], ['ay']],
  [['b', 'x'], ['bx']],
])('creator and category choose among several items, alone and together: %j', async (filters, expected) => {
  const parameters = filters.map((name) => `${'ab'.includes(name) ? 'creator_id' : 'category_id'}=${labels[name]}`);
  for (const [kind, search] of Object.entries(searches(parameters.join('&')))) {
    const { data } = await search();
    expect(new Set(data.map(({ id }) => id)), kind).toEqual(new Set(expected.map((name) => items[name]?.id)));
  }
});

test('a correctly signed URL that has expired is refused', async () => {
  const { secrets, url, workspaceId } = service;
  const address = `${filesPath}/${workspaceId}/${items['ax']?.id}/original`;
  const sign = (expires: number) =>
    `${url}${address}?expires=${expires}&signature=${secrets.sign(`${address}\n${expires}`)}`;
  const now = Math.floor(Date.now() / 1000);
  expect((await fetch(sign(now + 60))).status).toBe(200);
  for (const expires of [now - 1, now - 86_400, 0]) {
    const answer = await fetch(sign(expires));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ success: false, error: { code: 'forbidden' } });
  }
});

test('the dashboard has exactly this content security policy', async () => {
  const answer = await fetch(`${service.url}/api/v1/openapi.json`);
  expect(answer.headers.get('Content-Security-Policy')).toBe(
    [
      "default-src 'self'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "connect-src 'self' http: https:",
      "img-src 'self' blob: data: http: https:",
      "media-src 'self' blob: http: https:",
      "style-src 'self' 'unsafe-inline'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
    ].join(';'),
  );
});

test('a deleted item disappears from every search at once', async () => {
  const { client, folder } = service;
  const file = path.join(folder, 'gone.mp4');
  await makeVideo(file, { scenes: [plain(20, 20, 200), plain(20, 200, 20)].map((paint) => ({ paint, seconds: 3 })) });
  const { id } = await client.waitUntilIndexed((await client.upload(file)).data.id);
  const chunks = (await client.get<Found[]>(`/media/${id}/chunks`)).data.map((chunk) => chunk.id);
  const inAll = async () => {
    const found: string[] = [];
    for (const [kind, search] of Object.entries({ ...searches('n=100'), map: searches('').map })) {
      if ((await search()).data.some((hit) => hit.id === id)) found.push(kind);
    }
    if ((await client.search('gone')).data.some((hit) => hit.id === id)) found.push('file name');
    if ((await client.get<Found[]>(`/media/clips?ids=${chunks.join(',')}`)).data.length > 0) found.push('clips');
    return found;
  };
  // The map and the highlights are asked for before, so that what they keep has the item.
  expect(await inAll()).toEqual(['text', 'image', 'highlights', 'map', 'file name', 'clips']);
  expect((await client.delete(`/media/${id}`)).status).toBe(200);
  expect(await inAll()).toEqual([]);
});
