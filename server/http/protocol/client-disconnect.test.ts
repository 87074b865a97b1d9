import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { randomLcg, randomUniform } from 'd3-random';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { listScratch } from '../../platform/storage/scratch.ts';
import { startTestService } from '../../testing/running-service.ts';

/** Clients that disconnect at any moment of a request, from its first byte to its response. */

const seed = 0.12;
const rounds = 500;

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service[Symbol.asyncDispose]());

const form = (content: string) =>
  `--abc\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n${content}\r\n--abc--\r\n`;

/** Requests with a body, of every way in which bodies are read. */
const requests: { path: string; type: string; body: () => string }[] = [
  { path: '/media/upload', type: 'multipart/form-data; boundary=abc', body: () => form('no picture') },
  { path: '/media/upload', type: 'multipart/form-data; boundary=abc', body: () => form('x'.repeat(200_000)) },
  { path: '/media/search/image', type: 'multipart/form-data; boundary=abc', body: () => form('x'.repeat(100_000)) },
  {
    path: '/media/search/image',
    type: 'application/json',
    body: () => JSON.stringify({ image: Buffer.alloc(100_000).toString('base64') }),
  },
  { path: '/creators', type: 'application/json', body: () => '{"name":""}' },
  { path: '/media/check', type: 'application/json', body: () => JSON.stringify({ sha256: ['0'.repeat(64)] }) },
];

function bytesOf(request: (typeof requests)[number], key: string): Buffer {
  const body = request.body();
  const head = [
    `POST ${basePath}${request.path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${service.key}`,
    `Content-Type: ${request.type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Idempotency-Key: ${key}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Sends a random part of a request, in random pieces, and hangs up after a few milliseconds at most. */
async function hangUp(random: () => number, bytes: Buffer): Promise<void> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.resume();
  // As often whole as cut off: within the head, at its end, within the body.
  const end = random() < 0.5 ? bytes.length : Math.floor(random() ** 2 * bytes.length);
  for (let sent = 0; sent < end;) {
    const next = random() < 0.5 ? end : Math.min(end, sent + 1 + Math.floor(random() * 20_000));
    socket.write(bytes.subarray(sent, next));
    sent = next;
    if (random() < 0.3) await delay(Math.floor(random() * 4));
  }
  if (random() < 0.7) await delay(Math.floor(random() * 6));
  if (random() < 0.5) socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

/** What this process, which the service runs in, has open: sockets to the service and files in its data folder. */
async function openDescriptors(): Promise<string[]> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith('socket:') || target.includes('/uploads/'));
}

function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function hangUpOften(random: () => number, from: number, to: number): Promise<void> {
  for (let round = from; round < to; round += 5) {
    const batch = Array.from({ length: 5 }, (_, i) => {
      const request = requests[Math.floor(random() * requests.length)] as (typeof requests)[number];
      return hangUp(random, bytesOf(request, `hang-up-${round + i}`));
    });
    await Promise.all(batch);
  }
}

test('500 clients that disconnect at random moments leak nothing', { timeout: 240_000 }, async () => {
  const random = randomUniform.source(randomLcg(seed))(0, 1);
  const nothingLeft = () => expect.poll(() => listScratch(service.scratchDirectory)).toEqual([]);
  const before = await openDescriptors();
  // The first hundred fill caches and start processes that are started once.
  await hangUpOften(random, 0, 100);
  await nothingLeft();
  const memory = usedMemory();
  await hangUpOften(random, 100, rounds);
  await nothingLeft();
  await expect.poll(async () => (await openDescriptors()).length).toBeLessThan(before.length + 8);
  // Requests that went on waiting would hold their buffers, some 100 KB each. What has just ended is collected a moment later.
  await expect.poll(() => usedMemory() - memory).toBeLessThan(30 * 2 ** 20);

  // Every key works for a request that arrives.
  const photo = path.join(service.folder, 'photo.png');
  await makePhoto(photo, plain(200, 30, 30));
  for (let round = 0; round < rounds; round += 1) {
    const answer = await service.client.post(
      '/creators',
      { name: `${round}` },
      { 'Idempotency-Key': `hang-up-${round}` },
    );
    expect(answer.status).toBe(201);
  }
  expect((await service.client.upload(photo)).status).toBe(202);
});
