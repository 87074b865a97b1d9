import { chmod, copyFile, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { makePhoto, square } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import type { MediaItem } from '../../typescript/index.ts';
import { runCommand, spawnCommand } from '../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeEach(async () => {
  service = await startTestService({ workers: 0 });
  return () => service[Symbol.asyncDispose]();
});

const around = (home: string) => ({ home, env: { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key } });
const names = async () =>
  (await service.client.get<MediaItem[]>('/media?sort=filename')).data.map(({ filename }) => filename);

test('a folder is watched: what is there and what comes, once, also after a restart', async () => {
  await using folder = await temporaryFolder();
  const surroundings = around(folder.path);
  const photo = (name: string, red: number) => makePhoto(folder.file(name), square([red, 20, 30], [255, 255, 255]));
  await mkdir(folder.file('in/sub'), { recursive: true });
  await photo('in/first.jpg', 10);
  await writeFile(folder.file('in/notes.txt'), 'notes');
  await writeFile(folder.file('in/broken.jpg'), 'no picture');
  await photo('in/.hidden.jpg', 20);
  await photo('outside.jpg', 30);
  await symlink(folder.file('outside.jpg'), folder.file('in/link.jpg'));
  const words = ['watch', folder.file('in'), '--settle', '1', '--json'];

  const ending = new AbortController();
  let shown = '';
  const onOut = (text: string) => (shown += text);
  const watching = runCommand(words, { ...surroundings, signal: ending.signal, onOut });
  await expect.poll(() => shown).toContain('first.jpg');
  await photo('in/sub/second.jpg', 40);
  await copyFile(folder.file('in/first.jpg'), folder.file('in/sub/copy.jpg'));
  await expect.poll(() => shown).toContain('second.jpg');
  expect(await names()).toEqual(['first.jpg', 'second.jpg']);
  ending.abort();
  const { code, out, err } = await watching;
  expect([code, err.split('\n').at(-2)]).toEqual([0, 'Stopped.']);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { file: string; result: string });
  expect(lines.map(({ file, result }) => `${file.split('/').at(-1)} ${result}`).toSorted()).toEqual([
    'broken.jpg failed',
    'first.jpg uploaded',
    'second.jpg uploaded',
  ]);
  expect((await readdir(folder.file('in'))).toSorted()).toEqual([
    '.hidden.jpg',
    'broken.jpg',
    'first.jpg',
    'link.jpg',
    'notes.txt',
    'sub',
  ]);

  // A process of its own, killed and started again: what was sent is known, moved or deleted though it was.
  const [first] = (await service.client.get<MediaItem[]>('/media?q=first.jpg')).data;
  await service.client.delete(`/media/${first?.id}`);
  await rename(folder.file('in/sub/second.jpg'), folder.file('in/renamed.jpg'));
  const killed = spawnCommand(words, surroundings);
  let sent = '';
  killed.stdout?.on('data', (bytes) => (sent += String(bytes)));
  const exit = new Promise((resolve) => killed.on('close', resolve));
  await photo('in/third.jpg', 50);
  await expect.poll(() => sent).toContain('third.jpg');
  killed.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(JSON.parse(sent)).toMatchObject({ file: folder.file('in/third.jpg'), result: 'uploaded' });
  expect(await names()).toEqual(['second.jpg', 'third.jpg']);
});

test('what is refused because its collection was deleted is sent when the folder is watched without it', async () => {
  await using folder = await temporaryFolder();
  const surroundings = around(folder.path);
  await mkdir(folder.file('in'));
  const { data: collection } = await service.client.post<{ id: string }>('/collections', { name: 'Gone' });
  const words = ['watch', folder.file('in'), '--settle', '1', '--json'];
  const watchUntil = async (more: string[], shows: string, whenReady: () => Promise<unknown>) => {
    const ending = new AbortController();
    let [out, err] = ['', ''];
    const watching = runCommand([...words, ...more], {
      ...surroundings,
      signal: ending.signal,
      onOut: (text) => (out += text),
      onErr: (text) => (err += text),
    });
    await expect.poll(() => err).toContain('Watching');
    await whenReady();
    await expect.poll(() => out).toContain(shows);
    ending.abort();
    await watching;
  };
  await watchUntil(['--collection', 'Gone'], 'body.collection_id', async () => {
    await service.client.delete(`/collections/${collection.id}`);
    await makePhoto(folder.file('in/photo.jpg'), square([10, 20, 30], [255, 255, 255]));
  });
  expect(await names()).toEqual([]);
  await watchUntil([], '"uploaded"', () => Promise.resolve());
  expect(await names()).toEqual(['photo.jpg']);
});

/** Watches a folder until it is told to stop. */
function startWatching(words: string[], home: string) {
  const ending = new AbortController();
  const shown = { out: '', err: '' };
  const ended = runCommand(['watch', ...words, '--settle', '1'], {
    ...around(home),
    signal: ending.signal,
    onOut: (text) => (shown.out += text),
    onErr: (text) => (shown.err += text),
  });
  return {
    shows: (text: string) => expect.poll(() => shown.out + shown.err).toContain(text),
    stop: () => {
      ending.abort();
      return ended;
    },
  };
}

test('a folder that vanishes is waited for, as a disk that is unplugged', async () => {
  await using folder = await temporaryFolder();
  const photo = (name: string, red: number) => makePhoto(folder.file(name), square([red, 20, 30], [255, 255, 255]));
  const disk = folder.file('in');
  await mkdir(disk);
  await photo('in/first.jpg', 10);
  const watching = startWatching([disk], folder.path);
  await watching.shows('first.jpg');
  await rename(disk, folder.file('unplugged'));
  await watching.shows(`${disk} does not exist. It is tried again.\n`);
  await photo('unplugged/second.jpg', 20);
  await rename(folder.file('unplugged'), disk);
  await watching.shows(`${disk} can be read again.\n`);
  await watching.shows('second.jpg');
  const { code, out, err } = await watching.stop();
  expect([code, out.trim().split('\n').length, err.split('\n').length]).toEqual([0, 2, 5]);
  expect(await names()).toEqual(['first.jpg', 'second.jpg']);
});

test('a file that may not be read is said once, and sent when it may', async ({ skip }) => {
  skip(process.getuid?.() === 0 || process.platform === 'win32', 'root may read every file');
  await using folder = await temporaryFolder();
  const file = folder.file('photo.jpg');
  await makePhoto(file, square([10, 20, 30], [255, 255, 255]));
  await chmod(file, 0);
  const watching = startWatching([folder.path], folder.path);
  await watching.shows('may not be read');
  await chmod(file, 0o600);
  await watching.shows('uploaded');
  expect((await watching.stop()).out.split('\n').map((line) => line.split('\t')[0])).toEqual([
    'failed',
    'uploaded',
    '',
  ]);
});

test('a folder that does not exist is said', async () => {
  await using folder = await temporaryFolder();
  const none = folder.file('none');
  expect(await runCommand(['watch', none], around(folder.path))).toEqual({
    code: 1,
    out: '',
    err: `${none} does not exist.\n`,
  });
});
