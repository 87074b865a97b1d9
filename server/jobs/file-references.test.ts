import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { makePolyglots, type Polyglot } from '../../packages/media/testing/polyglots.ts';
import { startTestService } from '../testing/running-service.ts';

/** A service with a secret of another workspace, and what notices when something is read that an upload names. */
async function setUp() {
  const service = await startTestService();
  const other = await service.addWorkspace('Other');
  // Its container is changed for browsers, which gives it a file with an ending that FFmpeg's playlists accept.
  const secretFile = path.join(service.folder, 'secret.mkv');
  await makeVideo(secretFile, { scenes: [{ paint: plain(220, 20, 220), seconds: 2 }] });
  const { data: secret } = await other.client.upload(secretFile);
  await other.client.waitUntilIndexed(secret.id);
  const item = path.join(service.folder, 'data', 'assets', other.id, secret.id);
  const names = await readdir(item, { recursive: true });
  const rendition = names.find((name) => path.basename(name) === 'playback.mp4') ?? 'none';
  const playback = path.join(item, rendition);
  expect(existsSync(playback)).toBe(true);

  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  server.on('connection', () => (requests += 1));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));

  const pipe = path.join(service.folder, 'pipe.mp4');
  execFileSync('mkfifo', [pipe]);
  return {
    ...service,
    targets: {
      'relative path': `../../${other.id}/${secret.id}/${rendition}`,
      path: playback,
      'file address': pathToFileURL(playback).href,
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/video.mp4`,
      pipe,
    },
    requests: () => requests,
    /** Whether a process has the pipe open, and so waits for bytes from it. */
    pipeIsRead(): boolean {
      try {
        closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
        return true;
      } catch {
        return false;
      }
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

test('a file that names another file or an address gets nothing of it, uploaded or as a query', async () => {
  await using t = await setUp();
  const outcomes: string[] = [];
  async function send(kind: string, { name, bytes }: Polyglot) {
    const file = path.join(t.folder, `${kind} ${name}`);
    await writeFile(file, bytes);
    const uploaded = await t.client.upload(file, 'holiday.ts');
    const search = await t.client.post('/media/search/image', { image: bytes.toString('base64') });
    return { what: `${kind}, ${name}`, uploaded, search };
  }
  for (const [kind, target] of Object.entries(t.targets)) {
    // All disguises once, the best of them with every target.
    const polyglots = makePolyglots(target).filter(
      ({ name }) => kind === 'relative path' || /TS of 192|BMP/.test(name),
    );
    const sent = [];
    while (polyglots.length > 0) {
      sent.push(...(await Promise.all(polyglots.splice(0, 8).map((polyglot) => send(kind, polyglot)))));
    }
    // One after the other, as they are indexed: asking for all of them all the time would take as long as indexing.
    for (const { what, uploaded, search } of sent) {
      const settled = uploaded.status === 202 ? await t.client.waitUntilIndexed(uploaded.data.id) : undefined;
      outcomes.push(`${what}: ${settled?.status ?? uploaded.status}, ${search.status}`);
    }
    expect(t.pipeIsRead()).toBe(false);
  }
  expect(outcomes.filter((outcome) => !/: (error|415), 422$/.test(outcome))).toEqual([]);
  expect(t.requests()).toBe(0);
  // Some disguises pass the detection: a demuxer reads those files, which is the case that matters.
  expect(outcomes.filter((outcome) => outcome.includes(': error')).length).toBeGreaterThan(50);
});
