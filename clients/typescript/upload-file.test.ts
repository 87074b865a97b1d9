import { createHash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeDistinctPhoto } from '../../server/testing/photos.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import {
  createClient,
  createCreator,
  discardUpload,
  getMedia,
  listMedia,
  uploadFile,
  type UploadProgress,
} from './index.ts';
import { openFile } from './node.ts';
import { startFaultyProxy } from './testing/faulty-proxy.ts';
import { serve } from './testing/serve.ts';

const mebibyte = 2 ** 20;
/** Of a file in some parts. */
const someParts = 20 * mebibyte;

let service: Awaited<ReturnType<typeof startTestService>>;
let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  proxy = await startFaultyProxy(service.url);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  for (const list of [proxy.faults, proxy.methods, proxy.parts]) list.length = 0;
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

/** Each part began where the service was. */
function expectNothingTwice(): void {
  let stored = 0;
  for (const { offset, forwarded, status } of proxy.parts) {
    expect(offset).toBe(stored);
    if (status === 204) stored += forwarded;
  }
}

test('a connection that breaks goes on behind what was acknowledged, also in another run of the program', async () => {
  const file = await makeFile(someParts);
  const { kept, resume } = keepAddress();
  const { data: creator } = await createCreator({ client: clientOf(), body: { name: path.basename(file) } });
  const labels = { creator_id: creator.id, tags: 'café,b' };
  proxy.faults.push(5 * mebibyte, 3 * mebibyte);
  const first = uploadFile(clientOf(), await openFile(file), { labels, resume: resume(), retry: false });
  await expect(first).rejects.toMatchObject({ code: 'offline', status: 0 });
  expect(kept).toEqual([expect.stringMatching(/\/api\/v1\/uploads\/[\w-]+$/)]);
  expect(await offsetOf(kept[0])).toBeGreaterThan(0);

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
  // What the service took is sent once; of a part that broke off it took nothing.
  expectNothingTwice();
  const forwarded = proxy.parts.reduce((sum, part) => sum + part.forwarded, 0);
  expect(forwarded).toBeLessThanOrEqual(source.size + 8 * mebibyte);
  expect(heard.at(-1)).toEqual({ sent: source.size, acknowledged: source.size, total: source.size });
  expect(heard.every(({ acknowledged, total }) => acknowledged > 0 && acknowledged <= total)).toBe(true);
});

test('an upload that the service lost meanwhile begins again, and can resume as before', async () => {
  const client = clientOf();
  const { kept, resume } = keepAddress();
  let removed: Promise<unknown> | undefined;
  const { duplicate } = await uploadFile(client, await openFile(await makeFile(someParts)), {
    resume: resume(),
    onProgress({ acknowledged }) {
      if (acknowledged > 0) removed ??= service.db.deleteFrom('uploads').execute();
    },
  });
  await removed;
  expect(duplicate).toBe(false);
  expect(proxy.methods.filter((method) => method === 'POST')).toHaveLength(2);
  expect(kept).toEqual([expect.any(String), null, expect.any(String), null]);
  expect(kept[2]).not.toBe(kept[0]);
  // A form would be one more POST, without parts.
  proxy.methods.length = 0;
  await uploadFile(client, await openFile(await makeFile()));
  expect(proxy.methods).toContain('PATCH');
});

test('an upload that is discarded while it is sent ends, and does not start again by itself', async () => {
  const client = clientOf();
  const { kept, resume } = keepAddress();
  let discarded: Promise<void> | undefined;
  const sent = uploadFile(client, await openFile(await makeFile(someParts)), {
    resume: resume(),
    onProgress({ acknowledged }) {
      if (acknowledged > 0) discarded ??= discardUpload(client, String(kept[0]));
    },
  });
  await expect(sent).rejects.toMatchObject({ code: 'upload_discarded' });
  await discarded;
  expect(proxy.methods.filter((method) => method === 'POST')).toHaveLength(1);
  expect(kept).toEqual([expect.any(String), null]);
});

test('an upload of which the answer to its beginning is lost begins once', async () => {
  await service.db.deleteFrom('uploads').execute();
  proxy.faults.push('beginning');
  await uploadFile(clientOf(), await openFile(await makeFile()));
  expect(proxy.methods.filter((method) => method === 'POST')).toHaveLength(2);
  expect(await service.db.selectFrom('uploads').select('id').execute()).toHaveLength(1);
});

test('a part that is changed on its way is sent again, and the item is whole', async () => {
  const file = await makeFile(someParts);
  proxy.faults.push('none', 'changed', 'changed');
  const client = clientOf();
  const { mediaId, duplicate } = await uploadFile(client, await openFile(file));
  expect(proxy.parts.slice(0, 4).map(({ status }) => status)).toEqual([204, 460, 460, 204]);
  expectNothingTwice();
  // Changed bytes are not tried again with a large part.
  expect(proxy.parts[2]?.forwarded).toBe(mebibyte);
  expect(duplicate).toBe(false);
  const { data: item } = await getMedia({ client, path: { id: mediaId } });
  expect(item.sha256).toBe(await sha256Of(file));
  const { meta } = await listMedia({ client, query: { q: path.basename(file) } });
  expect(meta.total).toBe(1);
});

test('bytes that are changed each time end the upload with that reason, after as many attempts as breaks', async ({
  signal,
}) => {
  const source = await openFile(await makeFile());
  const wait = setTimeout;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    proxy.faults.push(...Array.from({ length: 20 }, () => 'changed' as const));
    const failures: unknown[] = [];
    void uploadFile(clientOf(), source).catch((error: unknown) => failures.push(error));
    while (failures.length === 0) {
      await new Promise((resolve) => void wait(resolve, 5));
      signal.throwIfAborted();
      // Time passes between the attempts alone.
      if (proxy.parts.every(({ status }) => status !== null)) await vi.advanceTimersByTimeAsync(1000);
    }
    const message = expect.stringContaining('changed on their way') as string;
    expect(failures).toEqual([expect.objectContaining({ code: 'checksum_mismatch', status: 460, message })]);
    expect(proxy.parts.map(({ offset, status }) => [offset, status])).toEqual(
      Array.from({ length: 8 }, () => [0, 460]),
    );
    // Asked once before each further attempt.
    expect(proxy.methods.filter((method) => method === 'GET')).toHaveLength(7);
  } finally {
    vi.useRealTimers();
    proxy.faults.length = 0;
  }
});

test('where no checksums are computed, as on a page by http, parts are sent without', async () => {
  const subtle = vi.spyOn(globalThis.crypto, 'subtle', 'get').mockReturnValue(undefined as never);
  try {
    await uploadFile(clientOf(), await openFile(await makeFile()));
  } finally {
    subtle.mockRestore();
  }
  expect(proxy.parts.map(({ checksum }) => checksum)).toEqual([undefined, undefined]);
});

test('an upload whose last answer is lost is not sent again', async () => {
  const file = await makeFile();
  const { resume } = keepAddress();
  proxy.faults.push('none', 'answer');
  const source = await openFile(file);
  await expect(uploadFile(clientOf(), source, { resume: resume(), retry: false })).rejects.toMatchObject({ status: 0 });
  proxy.methods.length = 0;
  const { mediaId } = await uploadFile(clientOf(), source, { resume: resume() });
  expect(proxy.methods).not.toContain('PATCH');
  expect((await getMedia({ client: clientOf(), path: { id: mediaId } })).data.sha256).toBe(await sha256Of(file));
});

test('what was aborted stays on the service until it is discarded; without its address it begins from the front', async () => {
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
  await expect(uploadFile(clientOf(), source, { resume: resume() })).rejects.toMatchObject({
    code: 'upload_discarded',
  });
  proxy.parts.length = 0;
  await uploadFile(clientOf(), source, { resume: resume() });
  expect(proxy.parts.map(({ offset }) => offset)).toEqual([0, mebibyte]);
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
  expect(methods).toEqual(['POST', 'PATCH', 'PATCH', 'GET']);
});

test('a service without resumable uploads gets one request, and is not asked for them again', async () => {
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
