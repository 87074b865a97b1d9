import { once } from 'node:events';
import { appendFile, copyFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLibrary } from '../testing/library.ts';
import { needsTerminal, spawnCommand, spawnInTerminal, waitForCommand, withoutTerminal } from '../testing/run-cli.ts';

let library: Awaited<ReturnType<typeof startLibrary>>;
beforeAll(async () => {
  library = await startLibrary();
});
afterAll(() => library[Symbol.asyncDispose]());

/** Runs a command in a terminal, which shows data and messages. */
const runInTerminal = (words: string[]) => waitForCommand(spawnInTerminal(words, library.surroundings));

test('a terminal shows what is said shortly before the end, also where no bar was drawn', async ({ skip }) => {
  skip(withoutTerminal, needsTerminal);
  const dir = library.files.file('saved');
  const download = ['download', library.photo, '--dir', dir];
  expect((await runInTerminal(download)).code).toBe(0);
  const again = await runInTerminal(download);
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('photo.jpg is there already.') as string });
  const unknown = library.photo.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const failed = await runInTerminal([...download, unknown]);
  expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('There is no such media item.') as string });
});

test('a command ends by Ctrl-C while nothing comes from its standard input, and while its standard output is not read', async ({
  onTestFinished,
}) => {
  // More than a pipe holds.
  const file = library.files.file('large.jpg');
  await copyFile(library.files.file('photo.jpg'), file);
  await appendFile(file, Buffer.alloc(2 ** 22, 1));
  const { id } = (await library.client.upload(file)).data;
  const login = spawnCommand(['login', '--with-key', '--url', library.url], library.surroundings);
  const download = spawnCommand(['download', id, '-o', '-'], library.surroundings);
  await once(download.stdout as Readable, 'readable');
  onTestFinished(() => [login, download].forEach((child) => void child.kill('SIGKILL')));
  for (const child of [login, download]) {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([2, null]);
  }
});
