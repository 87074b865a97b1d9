import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { revealApiKey } from '../../catalog/api-keys.ts';
import { openExpectingContinue } from '../../testing/raw-http.ts';
import { startTestService } from '../../testing/running-service.ts';
import { admitRequest, runAdmitted, runInTurn } from './concurrency-limit.ts';

const head = (path: string, key: string, type: string) =>
  [
    `POST ${basePath}${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    'Content-Length: 40000000',
    'Expect: 100-continue',
    '\r\n',
  ].join('\r\n');

test.each([
  ['/media/upload', 'multipart/form-data; boundary=abc', 8],
  ['/media/search/image', 'multipart/form-data; boundary=abc', 16],
  ['/media/search/image', 'application/json', 16],
])('%s (%s): what is beyond %i under way is refused at its head, for one workspace only', async (path, type, most) => {
  await using service = await startTestService({ workers: 0 });
  const { client: other, id } = await service.addWorkspace('Other');
  const otherKey = (await revealApiKey(service.db, service.secrets, id)) ?? '';
  const sockets = await Promise.all(
    Array.from({ length: most }, () => openExpectingContinue(service.url, head(path, service.key, type))),
  );
  // None of 40 MB is sent for this answer.
  await expect(openExpectingContinue(service.url, head(path, service.key, type))).rejects.toThrow(/ 429 .*throttled/s);
  // Other kinds of request still work, and so do all requests of other workspaces.
  expect((await service.client.get('/media')).status).toBe(200);
  expect((await other.get('/media')).status).toBe(200);
  sockets.push(await openExpectingContinue(service.url, head(path, otherKey, type)));
  for (const socket of sockets) socket.destroy();
  const goesOn = () =>
    openExpectingContinue(service.url, head(path, service.key, type)).then(
      (socket) => !socket.destroy().readable,
      () => false,
    );
  await expect.poll(goesOn).toBe(true);
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
    const request = { workspaceId: 'greedy', raw: { socket: new EventEmitter() } } as unknown as FastifyRequest;
    const response = new EventEmitter();
    // As sockets are read: the one before is answered when the next request begins.
    for (let step = 0; step < 50 * i; step++) await Promise.resolve();
    admitRequest(request, { raw: response } as unknown as FastifyReply, 'light');
    await runAdmitted(request, 'light', signal, async () => {
      await Promise.resolve();
      done.push(i);
    });
    response.emit('close');
  });
  const perTurn: number[] = [];
  while (done.length < all.length) {
    const before = done.length;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    perTurn.push(done.length - before);
  }
  await Promise.all(all);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(4);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
});

test('pieces of long responses take turns with what others send, and hold no slot while a client reads', async () => {
  const done: string[] = [];
  const all = Array.from({ length: 8 }, async (_, i) => {
    const request = { workspaceId: 'long', raw: { socket: new EventEmitter() } } as unknown as FastifyRequest;
    const response = new EventEmitter();
    admitRequest(request, { raw: response } as unknown as FastifyReply, 'light');
    for (let piece = 0; piece < 5; piece++) {
      await runInTurn(request, async () => {
        await Promise.resolve();
        done.push(`${i}/${piece}`);
      });
    }
    // Its client reads no more, and never hangs up.
    if (i > 0) response.emit('close');
  });
  const perTurn: number[] = [];
  while (done.length < 40) {
    const before = done.length;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    perTurn.push(done.length - before);
  }
  await Promise.all(all);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(4);
  // Each has its turn: none is sent whole before another begins.
  expect(done.slice(0, 8).map((name) => name.split('/')[1])).toEqual(Array.from({ length: 8 }, () => '0'));
});

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
  const request = { workspaceId, raw: { socket: new EventEmitter() } } as unknown as FastifyRequest;
  const response = new EventEmitter();
  admitRequest(request, { raw: response } as unknown as FastifyReply, 'light');
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
  // Those who asked in the tests before count for a second.
  await new Promise((resolve) => void setTimeout(resolve, 1100));
  // Each turn is one in which a request of another would have been read.
  expect(await count(false)).toBeLessThan(40);
  expect(await count(true)).toBeGreaterThan(100);
});
