import { createHash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeDistinctPhoto } from '../../server/testing/photos.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { createClient, createCreator, discardUpload, getMedia, uploadFile, type UploadProgress } from './index.ts';
import { openFile } from './node.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { serve } from './testing/serve.ts';

const mebibyte = 2 ** 20;
/** Of a file in two parts. */
const twoParts = 20 * mebibyte;

let service: Awaited<ReturnType<typeof startTestService>>;
let proxy: Awaited<ReturnType<typeof startBreakingProxy>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  proxy = await startBreakingProxy(service.url);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  for (const list of [proxy.breaks, proxy.methods, proxy.parts]) list.length = 0;
});

const clientOf = () => createClient({ url: proxy.url, key: service.key });

let photos = 0;
const makeFile = (extraBytes = 5 * mebibyte) =>
  makeDistinctPhoto(path.join(service.folder, `${photos}.png`), photos++, extraBytes);
const sha256Of = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** Where a test keeps the address of an upload, as a program does in a file. */
function keepAddress() {
  const kept: (string | null)[] = [];
  return {
    kept,
    resume: () => ({ address: kept.at(-1) ?? null, keep: (address: string | null) => kept.push(address) }),
  };
}

/** Bytes that the service has of an upload. */
async function offsetOf(address: string | null | undefined): Promise<number> {
  const response = await fetch(String(address), { headers: { Authorization: `Bearer ${service.key}` } });
  return ((await response.json()) as { data: { offset: number } }).data.offset;
}

test('a connection that breaks goes on behind what was acknowledged, also in another run of the program', async () => {
  const file = await makeFile(twoParts);
  const { kept, resume } = keepAddress();
  const { data: creator } = await createCreator({ client: clientOf(), body: { name: path.basename(file) } });
  const labels = { creator_id: creator.id, tags: 'café,b' };
  proxy.breaks.push(5 * mebibyte, 3 * mebibyte);
  const first = uploadFile(clientOf(), await openFile(file), { labels, resume: resume(), retry: false });
  await expect(first).rejects.toMatchObject({ code: 'offline', status: 0 });
  expect(kept).toEqual([expect.stringMatching(/\/api\/v1\/uploads\/[\w-]+$/)]);
  // It reads what had arrived; a request that comes at once would end that.
  await vi.waitFor(async () => expect(await offsetOf(kept[0])).toBeGreaterThan(0), { timeout: 20_000 });

  const heard: UploadProgress[] = [];
  const client = clientOf();
  const source = await openFile(file);
  const { mediaId, duplicate } = await uploadFile(client, source, {
    resume: resume(),
    onProgress: (p) => heard.push(p),
  });
  const { data: item } = await getMedia({ client, path: { id: mediaId } });
  expect(item).toMatchObject({ filename: path.basename(file), sha256: await sha256Of(file), creator_id: creator.id });
  expect(item.tag_ids).toHaveLength(2);
  expect(duplicate).toBe(false);
  expect(kept.at(-1)).toBeNull();
  // What the service took is sent once; of what was on the way when the connection broke, some may not have arrived.
  const offsets = proxy.parts.map(({ offset }) => offset);
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  expect(offsets[1]).toBeGreaterThan(0);
  const forwarded = proxy.parts.reduce((sum, part) => sum + part.forwarded, 0);
  expect(forwarded).toBeGreaterThanOrEqual(source.size);
  expect(forwarded).toBeLessThan(source.size + 2 * mebibyte);
  expect(heard.at(-1)).toEqual({ sent: source.size, acknowledged: source.size, total: source.size });
  expect(heard.every(({ acknowledged, total }) => acknowledged > 0 && acknowledged <= total)).toBe(true);
});

test('an upload whose last answer is lost is not sent again', async () => {
  const file = await makeFile();
  const { resume } = keepAddress();
  proxy.breaks.push('answer');
  const source = await openFile(file);
  await expect(uploadFile(clientOf(), source, { resume: resume(), retry: false })).rejects.toMatchObject({ status: 0 });
  proxy.methods.length = 0;
  const { mediaId } = await uploadFile(clientOf(), source, { resume: resume() });
  expect(proxy.methods).not.toContain('PATCH');
  expect((await getMedia({ client: clientOf(), path: { id: mediaId } })).data.sha256).toBe(await sha256Of(file));
});

test('what was aborted stays on the service until it is discarded; then it begins from the front', async () => {
  const source = await openFile(await makeFile());
  const { kept, resume } = keepAddress();
  const controller = new AbortController();
  const reason = new Error('paused');
  const onProgress = ({ sent }: UploadProgress) => void (sent > mebibyte && controller.abort(reason));
  const { signal } = controller;
  await expect(uploadFile(clientOf(), source, { resume: resume(), signal, onProgress })).rejects.toBe(reason);
  const address = kept.at(-1) ?? '';
  await discardUpload(clientOf(), address);
  await discardUpload(clientOf(), address);
  proxy.parts.length = 0;
  await uploadFile(clientOf(), source, { resume: resume() });
  expect(proxy.parts.map(({ offset }) => offset)).toEqual([0]);
});

test('an address that cannot be kept ends the upload with that reason', async () => {
  const reason = new Error('No space left on device');
  const keep = () => {
    throw reason;
  };
  await expect(
    uploadFile(clientOf(), await openFile(await makeFile()), { resume: { address: null, keep } }),
  ).rejects.toBe(reason);
  expect(proxy.methods).toEqual(['POST']);
});

test('the key is sent to no address but those of the service', async () => {
  const asked: unknown[] = [];
  await using other = await serve((request, response) => {
    asked.push(request.headers.authorization);
    response.end();
  });
  await discardUpload(clientOf(), `${other.url}/api/v1/uploads/1`);
  const resume = { address: `${other.url}/api/v1/uploads/1`, keep: () => undefined };
  await uploadFile(clientOf(), await openFile(await makeFile()), { resume });
  expect(asked).toEqual([]);
});

test('a small file is sent by one request, and one with a known checksum not at all', async () => {
  const small = await openFile(await makeFile(0));
  const { mediaId, duplicate } = await uploadFile(clientOf(), small, { filename: 'other.png', idempotencyKey: 'k1' });
  expect(duplicate).toBe(false);
  expect(proxy.methods).toEqual(['POST']);
  expect((await getMedia({ client: clientOf(), path: { id: mediaId } })).data.filename).toBe('other.png');
  expect(await uploadFile(clientOf(), small)).toEqual({ mediaId, duplicate: true });

  const file = await makeFile();
  const sent = await uploadFile(clientOf(), await openFile(file));
  proxy.methods.length = 0;
  const known = await uploadFile(clientOf(), await openFile(file), { sha256: await sha256Of(file) });
  expect(known).toEqual({ mediaId: sent.mediaId, duplicate: true });
  expect(proxy.methods).toEqual(['POST']);
});

test('a file that the service refuses is not kept, and says why', async () => {
  const { kept, resume } = keepAddress();
  const source = new File(['no picture'.padEnd(5 * mebibyte)], 'notes.txt');
  const failure = uploadFile(clientOf(), source, { resume: resume() });
  await expect(failure).rejects.toMatchObject({ code: 'unsupported_media_type' });
  expect(kept.at(-1)).toBeNull();
});

test('a file that is changed meanwhile fails to be read, and is not tried again', async () => {
  for (const bytes of [0, 5 * mebibyte]) {
    const file = await makeFile(bytes);
    const source = await openFile(file);
    await appendFile(file, 'more');
    await expect(uploadFile(clientOf(), source)).rejects.toMatchObject({ name: 'NotReadableError' });
  }
});

test("a client's own fetch sends the parts too", async () => {
  const methods: unknown[] = [];
  const client = createClient({
    url: service.url,
    key: service.key,
    fetch(input, init) {
      methods.push(init?.method);
      return fetch(input, init);
    },
  });
  await uploadFile(client, await openFile(await makeFile()));
  expect(methods).toEqual(['POST', 'PATCH', 'GET']);
});

test('a service without uploads that resume gets one request, and is not asked for them again', async () => {
  const requests: string[] = [];
  await using other = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      const isUpload = request.url === '/api/v1/media/upload';
      response.writeHead(isUpload ? 202 : 404, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(isUpload ? { success: true, data: { id: 'm1' } } : { success: false }));
    });
  });
  const client = createClient({ url: other.url, key: 'k' });
  const source = new File([new Uint8Array(5 * mebibyte)], 'a.mp4');
  expect(await uploadFile(client, source)).toEqual({ mediaId: 'm1', duplicate: false });
  await uploadFile(client, source);
  expect(requests).toEqual(['POST /api/v1/uploads', 'POST /api/v1/media/upload', 'POST /api/v1/media/upload']);
});

test('a service that stays away is waited for about two minutes, and then given up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('', { status: 503 }));
    const client = createClient({ url: 'http://own.example', key: 'k', maxWaitSeconds: Infinity, fetch });
    const failure: Promise<unknown> = uploadFile(client, new Blob(['a'])).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(fetch.mock.calls.length).toBeLessThan(8);
    await vi.advanceTimersByTimeAsync(62_000);
    expect(await failure).toMatchObject({ status: 503 });
    expect(fetch).toHaveBeenCalledTimes(8);
  } finally {
    vi.useRealTimers();
  }
});
