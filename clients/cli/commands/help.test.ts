import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLibrary } from '../testing/library.ts';

let library: Awaited<ReturnType<typeof startLibrary>>;
beforeAll(async () => {
  library = await startLibrary();
});
afterAll(() => library[Symbol.asyncDispose]());

test('each command has help with examples', async () => {
  const { code, out } = await library.run(['--help']);
  expect(code).toBe(0);
  const names = [...out.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  const withoutAnswer = new Set(['login', 'logout', 'mcp', 'completion', 'uploads', 'creators', 'sources', 'import']);
  const sources = ['list', 'show', 'add', 'scan', 'pause', 'resume', 'remove', 'files'].map(
    (name) => `sources ${name}`,
  );
  const commands = [
    ...names,
    'uploads list',
    'uploads discard',
    'creators list',
    'creators create',
    'import immich',
    ...sources,
  ];
  for (const name of commands) {
    const help = (await library.run([...name.split(' '), '--help'])).out;
    expect(help).toContain(`Usage: media-search ${name}`);
    expect([name, help.includes('--json')]).toEqual([name, !withoutAnswer.has(name)]);
    expect((await library.run(['help', ...name.split(' ')])).out).toBe(help);
  }
  expect((await library.run(['search', '--help'])).out).toContain('$ media-search search --image photo.jpg --json');
  const { version } = JSON.parse(await readFile(path.join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  expect((await library.run(['--version'])).out).toBe(`${version}\n`);
});
