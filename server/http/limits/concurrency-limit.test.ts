import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test, vi } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { issueApiKey, revealApiKey, revokeApiKey } from '../../catalog/accounts/api-keys.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { ApiError } from '../../errors/api-error.ts';
import { openExpectingContinue } from '../../testing/raw-http.ts';
import { startTestService } from '../../testing/running-service.ts';
import { admitRequest, runAdmitted, runInTurn } from './concurrency-limit.ts';

const form = 'multipart/form-data; boundary=abc';

const head = (address: string, key: string, type: string) =>
  [
    `POST ${basePath}${address} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    `Content-Length: ${type === form ? 40_000_000 : 1_000_000}`,
    'Expect: 100-continue',
    '\r\n',
  ].join('\r\n');

/** Opens requests that are admitted, one after the other. */
async function openAdmitted(count: number, url: string, bytes: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) sockets.push(await openExpectingContinue(url, bytes));
  return sockets;
}

/** Whether a request has been admitted, so far. */
function watch(admitted: Promise<Socket>): { state: 'waits' | 'admitted' | 'refused'; socket?: Socket } {
  const watched: ReturnType<typeof watch> = { state: 'waits' };
  admitted.then(
    (socket) => Object.assign(watched, { state: 'admitted', socket }),
    () => Object.assign(watched, { state: 'refused' }),
  );
  return watched;
}

test.each([
  ['/media/upload', form, 8],
  ['/media/search/image', form, 16],
  ['/media/search/image', 'application/json', 16],
])(
  '%s (%s): what is beyond %i under way waits at its head for its turn, of one workspace only',
  async (address, type, most) => {
    await using service = await startTestService({ workers: 0 });
    const { client: other, id } = await service.addWorkspace('Other');
    const otherKey = (await revealApiKey(service.db, service.secrets, id)) ?? '';
    const bytes = head(address, service.key, type);
    const sockets = await openAdmitted(most, service.url, bytes);
    const [first, second] = [
      watch(openExpectingContinue(service.url, bytes)),
      watch(openExpectingContinue(service.url, bytes)),
    ];
    // Other kinds of request still work, and so do all requests of other workspaces.
    expect((await service.client.get('/media')).status).toBe(200);
    expect((await other.get('/media')).status).toBe(200);
    sockets.push(...(await openAdmitted(1, service.url, head(address, otherKey, type))));
    expect([first.state, second.state]).toEqual(['waits', 'waits']);
    sockets.shift()?.destroy();
    await expect.poll(() => first.state).toBe('admitted');
    expect(second.state).toBe('waits');
    sockets.shift()?.destroy();
    await expect.poll(() => second.state).toBe('admitted');
    for (const socket of [...sockets, first.socket, second.socket]) socket?.destroy();
  },
);

test('beyond what may wait an upload is refused at its head, and a client that gives up makes room', async () => {
  await using service = await startTestService({ workers: 0 });
  const bytes = head('/media/upload', service.key, form);
  const port = Number(new URL(service.url).port);
  const admitted = await openAdmitted(8, service.url, bytes);
  const waiting = Array.from({ length: 64 }, () => connect(port, '127.0.0.1'));
  for (const socket of waiting) socket.write(bytes);
  // None of 40 MB is sent for this answer.
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1').on('data', (data) => {
        socket.destroy();
        const answer = String(data);
        resolve(/ 429 [^]*Retry-After: 5[^]*throttled/i.test(answer));
      });
      socket.write(bytes);
      setTimeout(() => {
        socket.destroy();
        resolve(false);
      }, 500);
    });
  await expect.poll(isRefused).toBe(true);
  for (const socket of waiting.slice(0, 10)) socket.destroy();
  await expect.poll(isRefused).toBe(false);
  for (const socket of [...admitted, ...waiting]) socket.destroy();
  // Nothing of them is left.
  const last = await openAdmitted(8, service.url, bytes);
  for (const socket of last) socket.destroy();
});

test('a key that is revoked while a request waits lets it do nothing', async () => {
  await using service = await startTestService({ workers: 0 });
  const { id, key } = await issueApiKey(service.db, service.secrets, service.workspaceId);
  const admitted = await openAdmitted(8, service.url, head('/media/upload', service.key, form));
  const waiting = openExpectingContinue(service.url, head('/media/upload', key, form));
  const answered = expect(waiting).rejects.toThrow(/ 401 [^]*invalid_api_key/);
  const listed = () => service.client.get('/media');
  expect((await listed()).status).toBe(200);
  await revokeApiKey(service.db, service.workspaceId, id);
  admitted.shift()?.destroy();
  await answered;
  for (const socket of admitted) socket.destroy();
});

test('small uploads and image searches that come at once are all answered', async () => {
  await using service = await startTestService();
  const photos = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const file = path.join(service.folder, `photo-${i}.png`);
      await makePhoto(file, plain(12 * i, 100, 200 - 10 * i));
      return file;
    }),
  );
  const uploads = await Promise.all(photos.map((file) => service.client.upload(file)));
  expect(uploads.map(({ status }) => status)).toEqual(photos.map(() => 202));
  const items = await Promise.all(uploads.map(({ data }) => service.client.waitUntilIndexed(data.id)));
  const searches = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      service.client.post('/media/search/image', { media_id: items[i % items.length]?.id, n: 1 }),
    ),
  );
  expect(new Set(searches.map(({ status }) => status))).toEqual(new Set([200]));
});

test('a plan raises or lowers what a workspace may do at once, and how often its keys may ask', async () => {
  await using service = await startTestService({ workers: 0, requestsPerMinute: 1000 });
  await savePlan(service.db, 'large', { uploads_at_once: 10, requests_per_minute: 3 });
  await assignPlan(service.db, service.workspaceId, 'large');
  const bytes = head('/media/upload', service.key, form);
  expect((await service.client.get('/tags')).headers.get('RateLimit-Policy')).toBe('"default";q=3;w=60');
  await savePlan(service.db, 'large', { requests_per_minute: null });
  expect((await service.client.get('/tags')).headers.get('RateLimit-Policy')).toBe('"default";q=1000;w=60');
  const sockets = await openAdmitted(10, service.url, bytes);
  const next = watch(openExpectingContinue(service.url, bytes));
  expect((await service.client.get('/media')).status).toBe(200);
  expect(next.state).toBe('waits');
  sockets.shift()?.destroy();
  await expect.poll(() => next.state).toBe('admitted');
  for (const socket of [...sockets, next.socket]) socket?.destroy();
});

/** A request of a workspace, as far as its admission goes. */
const requestOf = (workspaceId: string) =>
  ({
    workspaceId,
    traffic: null,
    checkAccess: null,
    raw: { socket: new EventEmitter() },
    server: { closing: new AbortController().signal },
  }) as unknown as FastifyRequest;

const admitAs = async (request: FastifyRequest, response: EventEmitter) =>
  admitRequest(request, { raw: response } as unknown as FastifyReply, 'import');

test('whether its key still works is asked again when a request has waited, and a refused one takes no place', async () => {
  const responses = Array.from({ length: 5 }, () => new EventEmitter());
  const [waiting = new EventEmitter(), ...admitted] = responses;
  for (const response of admitted) await admitAs(requestOf('revoked'), response);
  const revoked = new ApiError('invalid_api_key', 'Revoked.');
  const request = Object.assign(requestOf('revoked'), { checkAccess: () => Promise.reject(revoked) });
  const refused = expect(admitAs(request, waiting)).rejects.toBe(revoked);
  admitted[0]?.emit('close');
  await refused;
  // Its answer was sent.
  waiting.emit('close');
  const next = new EventEmitter();
  await admitAs(requestOf('revoked'), next);
  for (const response of [...admitted.slice(1), next]) response.emit('close');
});

test('a request that waits for 30 seconds is refused, and takes no turn later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const responses: EventEmitter[] = [];
    const admit = () => {
      const response = new EventEmitter();
      responses.push(response);
      return admitAs(requestOf('slow'), response);
    };
    for (let i = 0; i < 4; i++) await admit();
    const late = admit();
    const refused = expect(late).rejects.toMatchObject({ code: 'throttled', headers: { 'Retry-After': '5' } });
    await vi.advanceTimersByTimeAsync(29_000);
    const later = admit();
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
    // The place that is free then is for the request that came later.
    responses[0]?.emit('close');
    await later;
    for (const response of responses) response.emit('close');
    for (let i = 0; i < 4; i++) await admit();
  } finally {
    vi.useRealTimers();
  }
});

test('light requests beyond two wait in a queue, and all are answered', async () => {
  await using service = await startTestService({ workers: 0 });
  const answers = await Promise.all(Array.from({ length: 60 }, () => service.client.get('/media?per_page=100')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('of synchronous requests that arrive together, only two run before requests of others are read', async () => {
  const done: number[] = [];
  const signal = new AbortController().signal;
  const all = Array.from({ length: 12 }, async (_, i) => {
    const request = requestOf('greedy');
    const response = new EventEmitter();
    // As sockets are read: the one before is answered when the next request begins.
    for (let step = 0; step < 50 * i; step++) await Promise.resolve();
    void admitRequest(request, { raw: response } as unknown as FastifyReply, 'light');
    await runAdmitted(request, 'light', signal, async () => {
      await Promise.resolve();
      done.push(i);
    });
    response.emit('close');
  });
  const most = await mostPerTurn(done, all.length);
  await Promise.all(all);
  expect(most).toBeLessThanOrEqual(4);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
});

test('pieces of long responses take turns with what others send, and hold no slot while a client reads', async () => {
  const done: string[] = [];
  const all = Array.from({ length: 8 }, async (_, i) => {
    const request = requestOf('long');
    const response = new EventEmitter();
    await admitRequest(request, { raw: response } as unknown as FastifyReply, 'light');
    for (let piece = 0; piece < 5; piece++) {
      await runInTurn(request, async () => {
        await Promise.resolve();
        done.push(`${i}/${piece}`);
      });
    }
    // Its client reads no more, and never hangs up.
    if (i > 0) response.emit('close');
  });
  const most = await mostPerTurn(done, 40);
  await Promise.all(all);
  expect(most).toBeLessThanOrEqual(4);
  // Each has its turn: none is sent whole before another begins.
  expect(done.slice(0, 8).map((name) => name.split('/')[1])).toEqual(Array.from({ length: 8 }, () => '0'));
});

/** Waits until so much is done. @returns how much was done in one turn of the event loop at most */
async function mostPerTurn(done: readonly unknown[], count: number): Promise<number> {
  let most = 0;
  while (done.length < count) {
    const before = done.length;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    most = Math.max(most, done.length - before);
  }
  return most;
}

/** Blocks this thread, as a parser does. */
function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Runs requests of an asker, 20 ms of computing each, until it is stopped. */
async function runGreedily(workspaceId: string, stopped: () => boolean, onRun: () => void): Promise<void> {
  while (!stopped()) await runOne(workspaceId, () => (compute(20), onRun()));
}

async function runOne(workspaceId: string, work: () => void): Promise<void> {
  const request = requestOf(workspaceId);
  const response = new EventEmitter();
  await admitRequest(request, { raw: response } as unknown as FastifyReply, 'light');
  await runAdmitted(request, 'light', new AbortController().signal, async () => work());
  response.emit('close');
}

test('while another asks, work of one pauses between its requests; alone it does not', async () => {
  const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));
  const count = async (isAnotherAsking: boolean) => {
    const done = { runs: 0 };
    let turns = 0;
    const greedy = Array.from({ length: 8 }, () =>
      runGreedily(
        'computes',
        () => done.runs >= 20,
        () => (done.runs += 1),
      ),
    );
    while (done.runs < 20) {
      if (isAnotherAsking) await runOne('light', () => undefined);
      await nextTurn();
      turns += 1;
    }
    await Promise.all(greedy);
    return turns;
  };
  // The askers of the tests before count for a second.
  await new Promise((resolve) => void setTimeout(resolve, 1100));
  // Each turn is one in which a request of another would have been read.
  expect(await count(false)).toBeLessThan(40);
  expect(await count(true)).toBeGreaterThan(100);
});
