import { openAsBlob } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import type { SearchHit } from '../../../contract/search.ts';
import {
  checkers,
  makeAnimation,
  makePhoto,
  makeVideo,
  plain,
  square,
} from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

type Meta = { query: null; n: number; source: string; embedder: string; reranked: boolean; notice?: string };

let service: Awaited<ReturnType<typeof startTestService>>;
let film: MediaItem;
let strawberry: MediaItem;
const inFolder = (name: string) => path.join(service.folder, name);
const byJson = (body: unknown, query = '') =>
  service.client.post<SearchHit[], Meta>(`/media/search/image${query}`, body);

async function byFile(file: string, fields: Record<string, string> = {}, query = '') {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', await openAsBlob(file), path.basename(file));
  return service.client.call<SearchHit[], Meta>(`/media/search/image${query}`, { method: 'POST', body: form });
}

beforeAll(async () => {
  service = await startTestService({ allowedAddresses: ['127.0.0.1'] });
  const { client } = service;
  const scenes = [plain(200, 20, 20), checkers(0), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 3 }));
  await makeVideo(inFolder('film.mkv'), { scenes });
  await makePhoto(inFolder('strawberry.jpg'), square([210, 20, 30], [255, 255, 255]));
  await makePhoto(inFolder('grass.png'), plain(40, 150, 40));
  film = (await client.upload(inFolder('film.mkv'))).data;
  strawberry = await client.waitUntilIndexed((await client.upload(inFolder('strawberry.jpg'))).data.id);
  await client.waitUntilIndexed((await client.upload(inFolder('grass.png'))).data.id);
  film = await client.waitUntilIndexed(film.id);
});

afterAll(() => service[Symbol.asyncDispose]());

describe('an image is found', () => {
  test('by itself in a form, and by copies that were scaled, recompressed, mirrored or made an animation', async () => {
    await sharp(inFolder('strawberry.jpg')).resize(90).flop().webp({ quality: 30 }).toFile(inFolder('copy.webp'));
    await makeAnimation(inFolder('copy.gif'), [square([210, 20, 30], [255, 255, 255]), plain(0, 0, 0)]);
    for (const name of ['strawberry.jpg', 'copy.webp', 'copy.gif']) {
      const { status, data, meta } = await byFile(inFolder(name));
      expect(status).toBe(200);
      expect(data[0], name).toMatchObject({ id: strawberry.id, type: 'image', start: 0, end: 0, weak: false });
      expect(meta).toMatchObject({ query: null, n: 20, source: 'file', reranked: false, embedder: 'descriptors@2' });
      const scores = data.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
  });

  test('also with rerank, by parameter, form field and JSON member', async () => {
    for (const { data, meta } of [
      await byFile(inFolder('strawberry.jpg'), {}, '?rerank=1'),
      await byFile(inFolder('strawberry.jpg'), { rerank: '1' }),
      await byJson({ media_id: strawberry.id, rerank: true }),
    ]) {
      expect(meta).toMatchObject({ reranked: true });
      expect(meta.notice).toBeUndefined();
      expect(data[0]?.id).toBe(strawberry.id);
      const verdicts = data.map(({ signals }) => signals.rerank ?? Number.NaN);
      expect(verdicts).toHaveLength(5);
      expect(verdicts).toEqual(verdicts.toSorted((a, b) => b - a));
      const scores = data.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
    expect((await byFile(inFolder('strawberry.jpg'), { n: '2' }, '?rerank=1')).data).toHaveLength(2);
  });

  test('with a score that says so', async () => {
    const { data } = await byFile(inFolder('strawberry.jpg'));
    expect(data[0]?.score).toBeGreaterThan(0.99);
    expect(data[1]?.score).toBeLessThan(0.8);
  });

  test('in base64, in base64url, as a data URL and in lines, also with escapes', async () => {
    const bytes = await readFile(inFolder('strawberry.jpg'));
    const plainText = bytes.toString('base64');
    for (const image of [
      plainText,
      bytes.toString('base64url'),
      `data:image/jpeg;base64,${plainText}`,
      `DATA:image/jpeg;charset=x;BASE64,${plainText}`,
      plainText.replaceAll(/(.{76})/g, '$1\r\n'),
    ]) {
      const json = JSON.stringify({ image })
        .replaceAll('/', String.raw`\/`)
        .replaceAll('+', String.raw`\u002B`);
      const headers = { 'Content-Type': 'application/json' };
      const { data, meta } = await service.client.call<SearchHit[], Meta>('/media/search/image', {
        method: 'POST',
        body: json,
        headers,
      });
      expect(data[0]?.id).toBe(strawberry.id);
      expect(meta.source).toBe('image');
    }
  });

  test('by an item, by a chunk and by a moment of a video', async () => {
    const ofItem = await byJson({ media_id: strawberry.id });
    expect(ofItem.data[0]).toMatchObject({ id: strawberry.id });
    expect(ofItem.meta.source).toBe('media');
    const { data: chunks } = await service.client.get<{ id: string; start: number }[]>(`/media/${film.id}/chunks`);
    const ofChunk = await byJson({ media_id: film.id, chunk_id: chunks[2]?.id });
    expect(ofChunk.data[0]).toMatchObject({ id: film.id, chunk_id: chunks[2]?.id });
    for (const [at, place] of [
      [0, 0],
      [1.5, 0],
      [4.4, 1],
      [7, 2],
      [film.duration, 2],
    ] as const) {
      const ofMoment = await byJson({ media_id: film.id, at });
      expect(ofMoment.data[0]?.chunk_id, `at ${at}`).toBe(chunks[place]?.id);
    }
    // An image has no other times.
    expect((await byJson({ media_id: strawberry.id, at: 3 })).data[0]?.id).toBe(strawberry.id);
  });
});

describe('parameters', () => {
  test('are read from the URL, the form or the JSON body; the body takes precedence', async () => {
    expect((await byFile(inFolder('grass.png'), {}, '?n=2')).data).toHaveLength(2);
    expect((await byFile(inFolder('grass.png'), { n: '1' }, '?n=2')).data).toHaveLength(1);
    expect((await byJson({ media_id: film.id, n: 3 })).meta.n).toBe(3);
    expect((await byJson({ media_id: film.id, n: '3' }, '?n=9')).meta.n).toBe(3);
    const images = await byJson({ media_id: film.id, type: 'image' });
    expect(new Set(images.data.map(({ type }) => type))).toEqual(new Set(['image']));
    expect((await byFile(inFolder('grass.png'), { type: 'video' })).data).toHaveLength(3);
    expect((await byJson({ media_id: film.id, creator_id: film.id })).data).toEqual([]);
  });

  test.each([
    [{}, 'body.image'],
    [{ image: 'aGk=', url: 'http://example.org/a.png' }, 'body.url'],
    [{ image: '' }, 'body.image'],
    [{ image: 'no base64!' }, 'body.image'],
    [{ image: ' ' }, 'body.image'],
    [{ image: 'a=b' }, 'body.image'],
    [{ image: 'a===' }, 'body.image'],
    [{ image: '=' }, 'body.image'],
    [{ image: 'data:image/png,aGk=' }, 'body.image'],
    [{ image: 'data:' }, 'body.image'],
    [{ image: 'äöü' }, 'body.image'],
    [{ image: '<svg/>' }, 'body.image'],
    [{ image: `data:${'x'.repeat(2000)};base64,aGk=` }, 'body.image'],
    [{ image: 7 }, 'body.image'],
    [{ image: ['aGk='] }, 'body.image'],
    [{ url: 'ftp://example.org/a.png' }, 'body.url'],
    [{ url: 'file:///etc/passwd' }, 'body.url'],
    [{ media_id: 'x' }, 'body.media_id'],
    [{ url: 'http://example.org/', at: 3 }, 'body.at'],
    [{ image: 'aGk=', n: 0 }, 'body.n'],
    [{ image: 'aGk=', n: 101 }, 'body.n'],
    [{ image: 'aGk=', n: 1.5 }, 'body.n'],
    [{ image: 'aGk=', dedupe: 'perhaps' }, 'body.dedupe'],
    [{ image: 'aGk=', type: 'sound' }, 'body.type'],
  ])('out of bounds are refused: %j', async (body, where) => {
    const answer = await byJson(body);
    expect(answer).toMatchObject({ status: 400, error: { code: 'validation_error' } });
    expect(answer.error.details?.map((detail) => detail.path)).toContain(where);
  });

  test('a time past the end, a chunk of another item and both at once are refused', async () => {
    expect(await byJson({ media_id: film.id, at: 60 })).toMatchObject({
      status: 400,
      error: { details: [{ path: 'body.at' }] },
    });
    const [chunk] = (await service.client.get<{ id: string }[]>(`/media/${film.id}/chunks`)).data;
    expect((await byJson({ media_id: strawberry.id, chunk_id: chunk?.id })).status).toBe(404);
    expect((await byJson({ media_id: film.id, chunk_id: chunk?.id, at: 1 })).status).toBe(400);
  });
});

test.each([
  ['text', Buffer.from('this is no picture')],
  ['a drawing that can carry script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['the head of a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
])('%s is unreadable media', async (_, bytes) => {
  await writeFile(inFolder('odd'), bytes);
  expect(await byFile(inFolder('odd'))).toMatchObject({ status: 422, error: { code: 'unreadable_media' } });
  expect(await byJson({ image: bytes.toString('base64') })).toMatchObject({ status: 422 });
});

test.each([
  ['{"image":"aGk=","__proto__":{}}', 400, 'malformed_body'],
  ['{"image":"aGk=",}', 400, 'malformed_body'],
  ['{"image":"aGk=', 400, 'malformed_body'],
  ['["image"]', 400, 'validation_error'],
  ['', 400, 'validation_error'],
])('the JSON around a picture is checked as any other: %s', async (body, status, code) => {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await service.client.call('/media/search/image', { method: 'POST', body, headers });
  expect(answer).toMatchObject({ status, error: { code } });
});

test('an image of more than a JSON body may hold is refused in JSON, with and without Content-Length, and taken in a form', async () => {
  const large = Buffer.concat([await readFile(inFolder('strawberry.jpg')), Buffer.alloc(800_000)]);
  await writeFile(inFolder('large.jpg'), large);
  expect((await byFile(inFolder('large.jpg'))).data[0]?.id).toBe(strawberry.id);
  const body = new Blob([`{"image":"${large.toString('base64')}"}`]);
  const headers = { 'Content-Type': 'application/json' };
  for (const init of [{ body }, { body: body.stream(), duplex: 'half' as const }]) {
    const answer = await service.client.call('/media/search/image', { method: 'POST', headers, ...init });
    expect(answer).toMatchObject({ status: 413, error: { code: 'payload_too_large' } });
  }
});

test('a video is refused as a query image', async () => {
  expect(await byFile(inFolder('film.mkv'))).toMatchObject({ status: 422, error: { code: 'unreadable_media' } });
});

test('a moment of a video whose file is damaged or gone is unreadable media', async () => {
  const folder = path.join(service.folder, 'data', 'assets', service.workspaceId, film.id);
  const played = path.join(
    folder,
    (await readdir(folder, { recursive: true })).find((file) => file.endsWith('.mp4')) ?? '',
  );
  const bytes = await readFile(played);
  for (const damage of [() => writeFile(played, 'no video'), () => rm(played)]) {
    await damage();
    expect(await byJson({ media_id: film.id, at: 4 })).toMatchObject({
      status: 422,
      error: { code: 'unreadable_media' },
    });
  }
  await writeFile(played, bytes);
  expect((await byJson({ media_id: film.id, at: 4 })).status).toBe(200);
});

describe('by URL', () => {
  let server: Server;
  let address: string;

  beforeAll(async () => {
    const picture = await readFile(inFolder('strawberry.jpg'));
    server = createServer((request, response) => {
      if (request.url === '/picture') response.end(picture);
      else if (request.url === '/again') response.writeHead(302, { Location: '/picture' }).end();
      else if (request.url === '/inside') response.writeHead(302, { Location: 'http://127.0.0.2:9/' }).end();
      else if (request.url === '/inside-secure') response.writeHead(302, { Location: 'https://127.0.0.2:9/' }).end();
      else if (request.url === '/round') response.writeHead(302, { Location: '/round' }).end();
      else if (request.url === '/elsewhere') response.writeHead(302, { Location: 'file:///etc/passwd' }).end();
      else if (request.url === '/nowhere') response.writeHead(302, { Location: 'http://name.invalid/' }).end();
      else if (request.url === '/switching')
        request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      else if (request.url === '/text') response.end('no picture');
      else if (request.url === '/endless') {
        const send = () => {
          while (response.writable && response.write(Buffer.alloc(2 ** 20))) continue;
        };
        response.on('drain', send);
        send();
      } else response.writeHead(404).end('not here');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('an image is fetched, redirects are followed', async () => {
    for (const place of ['/picture', '/again']) {
      const { data, meta } = await byJson({ url: address + place });
      expect(data[0]?.id).toBe(strawberry.id);
      expect(meta.source).toBe('url');
    }
  });

  test.each([
    ['/missing', /responded with status 404/],
    ['/text', /not an image/],
    ['/switching', /responded with status 101/],
    ['/round', /could not be fetched/],
    ['/elsewhere', /could not be fetched/],
    ['/endless', /more than 32 MiB/],
  ])('what gives no picture is unreadable media: %s', async (place, message) => {
    const answer = await byJson({ url: address + place });
    expect(answer).toMatchObject({ status: 422, error: { code: 'unreadable_media' } });
    expect(answer.error.message).toMatch(message);
  });

  test.each(['/inside', '/inside-secure', '/nowhere'])(
    'a redirect to an address that is not allowed, or to none, is refused with the same words: %s',
    async (place) => {
      expect(await byJson({ url: address + place })).toMatchObject({
        status: 400,
        error: {
          code: 'validation_error',
          details: [{ path: 'body.url', message: expect.stringContaining('to no IP address, or to a private') }],
        },
      });
    },
  );

  test('private, loopback and link-local IP addresses are refused in any notation', async () => {
    await using guarded = await startTestService();
    const { port } = server.address() as AddressInfo;
    const hosts = [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '[::]',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      '[fe80::1]',
      '[fc00::1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::127.0.0.1]',
      '[2002:7f00:1::]',
      '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
      '[::ffff:0:127.0.0.1]',
      '[::5efe:127.0.0.1]',
      '[fec0::1]',
      '[fd00::1]',
      '[fe80::1%25lo]',
      '[100::1]',
      '[4000::1]',
      '[ff02::1]',
      '0',
      '127.1',
      '017700000001',
      '127.0.0.1.',
    ];
    let connections = 0;
    const target = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => target.listen(0, '::', resolve));
    const tcpPort = (target.address() as AddressInfo).port;
    for (const host of hosts) {
      for (const url of [`http://${host}:${port}/picture`, `https://${host}:${tcpPort}/picture`]) {
        const answer = await guarded.client.post('/media/search/image', { url });
        expect(answer, url).toMatchObject({ status: 400, error: { details: [{ path: 'body.url' }] } });
      }
    }
    // No connection was made.
    expect(connections).toBe(0);
    target.close();
  });
});
