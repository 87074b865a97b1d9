import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import { runCommand } from '../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  folder = await temporaryFolder();
  for (const name of ['Ana Lima', 'anders $(touch owned) `touch owned`', 'Bob'])
    await service.client.post('/creators', { name });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The values offered for a line, and whether files are. */
async function complete(...words: string[]): Promise<string[]> {
  const env = { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key };
  const { code, out } = await runCommand(['complete', '--', ...words], { home: folder.path, env });
  expect(code).toBe(0);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

test('commands, options, their values, names of the workspace, and files', async () => {
  expect(await complete('')).toEqual(expect.arrayContaining(['search', 'login', 'creators', ':done']));
  expect(await complete('hi')).toEqual(['highlights', ':done']);
  expect(await complete('creators', 'c')).toEqual(['create', ':done']);
  expect(await complete('uploads', 'd')).toEqual(['discard', ':done']);
  expect(await complete('search', '--ty')).toEqual(['--type', ':done']);
  expect(await complete('search', '--verb')).toEqual(['--verbose', ':done']);
  expect(await complete('search', 'blue', '--type', '')).toEqual(['video', 'image', 'audio', ':done']);
  expect(await complete('search', '--type=v')).toEqual(['video', ':done']);
  expect(await complete('search', '--creator', 'an')).toEqual([
    'Ana Lima',
    'anders $(touch owned) `touch owned`',
    ':done',
  ]);
  expect(await complete('search', '--creator', '"Ana')).toEqual(['Ana Lima', ':done']);
  expect(await complete('search', String.raw`--creator=Ana\ L`)).toEqual(['Ana Lima', ':done']);
  expect(await complete('search', '--creator', "'Ana L")).toEqual(['Ana Lima', ':done']);
  expect(await complete('search', '--creator', String.raw`"anders \$(`)).toEqual([
    'anders $(touch owned) `touch owned`',
    ':done',
  ]);
  expect(await complete('help', 'sea')).toEqual(['search', ':done']);
  expect(await complete('help', 'uploads', 'd')).toEqual(['discard', ':done']);
  expect(await complete('uploads', 'discard', '--')).toEqual([
    '--yes',
    '--json',
    '--help',
    '--version',
    '--verbose',
    ':done',
  ]);
  expect(await complete('search', '--', '-')).toEqual([':done']);
  expect(await complete('upload', '--', 'a')).toEqual([':files']);
  expect(await complete('search', '--image', 'ph')).toEqual([':files']);
  expect(await complete('list', '--type', 'video', '')).toEqual([':done']);
  expect(await complete('completion', 'z')).toEqual(['zsh', ':done']);
});

test('nothing is said where there is no account or no service', async () => {
  for (const env of [{}, { MEDIA_SEARCH_URL: 'http://127.0.0.1:9', MEDIA_SEARCH_KEY: 'x' }]) {
    const words = ['complete', '--', 'search', '--creator', ''];
    expect(await runCommand(words, { home: folder.path, env })).toEqual({ code: 0, out: ':done\n', err: '' });
  }
});
