import { appendFile, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, square } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import type { MediaItem } from '../../typescript/index.ts';
import { startFaultyProxy } from '../../typescript/testing/faulty-proxy.ts';
import {
  needsTerminal,
  runCommand,
  spawnCommand,
  spawnInTerminal,
  waitForCommand,
  withoutTerminal,
} from '../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
});
afterAll(() => service[Symbol.asyncDispose]());

/** A photo with so much behind it that it is sent in parts. */
async function makeLarge(file: string, red: number, bytes: number): Promise<void> {
  await makePhoto(file, square([red, 20, 30], [255, 255, 255]));
  await appendFile(file, Buffer.alloc(bytes, red));
}

const items = async (name: string) => (await service.client.get<MediaItem[]>(`/media?q=${name}`)).data;
const mebibyte = 2 ** 20;

test.for(['upload', 'watch'])(
  '%s ends by Ctrl-C in a terminal while files are sent',
  async (command, { skip, onTestFinished }) => {
    skip(withoutTerminal, needsTerminal);
    await using folder = await temporaryFolder();
    const media = folder.file('media');
    await mkdir(media);
    // So many and so large that some are under way, and others wait for their turn.
    for (let i = 0; i < 6; i++)
      await makeLarge(path.join(media, `${i}.jpg`), 30 + i + 10 * command.length, 20 * mebibyte);
    await using proxy = await startFaultyProxy(service.url);
    const env = { MEDIA_SEARCH_URL: proxy.url, MEDIA_SEARCH_KEY: service.key };
    const terminal = spawnInTerminal([command, media, ...(command === 'watch' ? ['--settle', '1'] : [])], {
      home: folder.path,
      env,
    });
    onTestFinished(() => void terminal.kill());
    const ended = waitForCommand(terminal);
    await expect.poll(() => proxy.parts.length, { timeout: 30_000, interval: 2 }).toBeGreaterThan(1);
    terminal.stdin?.write('\u0003');
    // A timer that is left would keep the process alive for ever.
    const { code, out } = await ended;
    expect({ code, out }).toEqual(
      command === 'upload'
        ? { code: 2, out: expect.stringContaining('Cancelled') as string }
        : { code: 0, out: expect.anything() as string },
    );
  },
);

test('an upload that is interrupted or killed goes on in the next run, and leaves nothing behind', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('killed.jpg');
  await makeLarge(file, 20, 50 * mebibyte);
  await using proxy = await startFaultyProxy(service.url);
  const around = { home: folder.path, env: { MEDIA_SEARCH_URL: proxy.url, MEDIA_SEARCH_KEY: service.key } };
  const { parts } = proxy;
  const begun: number[] = [];
  // Ctrl-C in the second part, a kill in the first part of the run after it.
  for (const [signal, part] of [
    ['SIGINT', 1],
    ['SIGKILL', 0],
  ] as const) {
    const before = parts.length;
    const child = spawnCommand(['upload', file], around);
    const ended = waitForCommand(child);
    const received = () => parts.at(before + part)?.forwarded ?? 0;
    await expect.poll(received, { timeout: 30_000, interval: 2 }).toBeGreaterThan(0);
    child.kill(signal);
    const { code, err } = await ended;
    if (signal === 'SIGINT') expect([code, err]).toEqual([2, expect.stringContaining('The same command goes on')]);
    begun.push(parts[before]?.offset ?? -1);
  }
  begun.push(parts.length);
  expect(await runCommand(['upload', file], around)).toMatchObject({ code: 0, err: '1 uploaded.\n' });
  const last = parts[begun.pop() ?? 0]?.offset ?? -1;
  // What was acknowledged before the signal, a part at least, is not sent again.
  const [first, second = 0] = begun;
  expect([first, second >= mebibyte, last >= second]).toEqual([0, true, true]);
  expect(await items('killed.jpg')).toHaveLength(1);
  const state = await readdir(path.join(folder.path, 'media-search'), { recursive: true });
  expect(state.filter((name) => path.dirname(name).endsWith('uploads'))).toEqual([]);
});
