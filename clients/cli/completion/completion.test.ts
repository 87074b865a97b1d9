import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, temporaryFolder } from '../../../server/testing/running-service.ts';
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
  expect(await complete('search', '--ty')).toEqual(['--type', ':done']);
  expect(await complete('search', '--verb')).toEqual(['--verbose', ':done']);
  expect(await complete('search', 'blue', '--type', '')).toEqual(['video', 'image', ':done']);
  expect(await complete('search', '--type=v')).toEqual(['video', ':done']);
  expect(await complete('search', '--type', '=', 'v')).toEqual(['video', ':done']);
  expect(await complete('search', '--creator', 'an')).toEqual([
    'Ana Lima',
    'anders $(touch owned) `touch owned`',
    ':done',
  ]);
  expect(await complete('search', '--creator', '"Ana')).toEqual(['Ana Lima', ':done']);
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

test('bash inserts names as they are, and runs nothing that is in them', async ({ skip }) => {
  const bash = promisify(execFile);
  skip(
    await bash('bash', ['-c', 'type compopt']).then(
      () => false,
      () => true,
    ),
    'this machine has no bash',
  );
  const bin = folder.file('bin');
  const work = folder.file('work');
  await mkdir(bin);
  await mkdir(work);
  const main = path.join(import.meta.dirname, '..', 'main.ts');
  await writeFile(path.join(bin, 'media-search'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, {
    mode: 0o755,
  });
  const script = `source <(media-search completion bash)
    COMP_WORDS=(media-search search --creator an) COMP_CWORD=3
    _media_search 2>/dev/null
    for each in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $each"; done`;
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: folder.path,
    MEDIA_SEARCH_URL: service.url,
    MEDIA_SEARCH_KEY: service.key,
  };
  const { stdout } = await bash('bash', ['-c', script], { cwd: work, env });
  expect(stdout).toBe('Ana Lima\nanders $(touch owned) `touch owned`\n');
  expect(await readdir(work)).toEqual([]);
});
