import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import { needsTerminal, runCommand, spawnInTerminal, withoutTerminal } from '../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  folder = await temporaryFolder();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const modes = async (...files: string[]) =>
  Promise.all(files.map(async (file) => ((await stat(file)).mode & 0o777).toString(8)));

test('login stores a key that works so that others cannot read it; status and logout', async () => {
  const home = folder.file('a');
  const file = path.join(home, 'media-search', 'credentials.json');
  expect((await runCommand(['status'], { home })).code).toBe(4);
  const away = { MEDIA_SEARCH_URL: 'http://127.0.0.1:9', MEDIA_SEARCH_KEY: 'service_x' };
  expect((await runCommand(['status'], { home, env: away })).err).toMatch(/^http:\/\/127\.0\.0\.1:9 cannot be reached/);

  const wrong = await runCommand(['login', '--url', service.url, '--with-key'], { home, input: 'service_wrong\n' });
  expect(wrong).toMatchObject({ code: 4, err: expect.stringContaining(`${service.url} does not accept`) as string });
  await expect(stat(file)).rejects.toThrow('ENOENT');

  const url = `${service.url}/api/v1/`;
  const { code, out, err } = await runCommand(['login', '--url', url, '--with-key'], {
    home,
    input: `${service.key}\n`,
  });
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(err).toContain('Logged in to the workspace “My workspace”');
  expect(err).not.toContain(service.key);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url: service.url, key: service.key });
  // The origin and the base URL are the same service.
  for (const same of [service.url, `${service.url}/`, url])
    expect((await runCommand(['list'], { home, env: { MEDIA_SEARCH_URL: same } })).code).toBe(0);
  expect(await modes(file, path.dirname(file))).toEqual(['600', '700']);

  const status = await runCommand(['status', '--json'], { home });
  expect(JSON.parse(status.out)).toMatchObject({ source: file, workspace: { name: 'My workspace' } });
  expect(status.out).not.toContain(service.key);
  expect((await runCommand(['list'], { home })).code).toBe(0);

  expect((await runCommand(['logout'], { home })).err).toBe('Logged out.\n');
  expect((await runCommand(['logout'], { home })).err).toBe('Nothing was stored.\n');
  expect((await runCommand(['list'], { home })).code).toBe(4);
});

test('a stored key is sent to no other address', async () => {
  const home = folder.file('b');
  await runCommand(['login', '--url', service.url, '--with-key'], { home, input: service.key });
  const env = { MEDIA_SEARCH_URL: 'http://127.0.0.1:9' };
  const refused = await runCommand(['list'], { home, env });
  expect(refused).toMatchObject({ code: 4, out: '' });
  expect(refused.err).toContain(`The stored key is for ${service.url}. Set MEDIA_SEARCH_KEY`);
  expect((await runCommand(['list'], { home, env: { MEDIA_SEARCH_URL: `${service.url}/` } })).code).toBe(0);
});

test.each([
  ['ftp://host', 'is no address of a service'],
  ['host', 'is no address of a service'],
  ['http://user:secret@host', 'holds no name and no password'],
])('login refuses the address %s', async (url, message) => {
  const { code, err } = await runCommand(['login', '--url', url, '--with-key'], { home: folder.file('c'), input: 'x' });
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test('login refuses what is no key, and asks for nothing without a terminal', async () => {
  const home = folder.file('d');
  const words = ['login', '--url', service.url, '--with-key'];
  for (const input of ['two words', 'a\u001b[31m', '', 'x'.repeat(5000)]) {
    const { code, err } = await runCommand(words, { home, input });
    expect({ code, leaked: input !== '' && err.includes(input) }).toEqual({ code: 4, leaked: false });
  }
  expect((await runCommand(['login'], { home })).err).toContain('--with-key');
});

test('a damaged file of credentials is named, not shown', async () => {
  const home = folder.file('e');
  await runCommand(['login', '--url', service.url, '--with-key'], { home, input: service.key });
  await writeFile(path.join(home, 'media-search', 'credentials.json'), `{"key":"${service.key}`);
  const { code, err } = await runCommand(['list'], { home });
  expect(code).toBe(4);
  expect(err).toContain('cannot be read. Run `media-search login`');
  expect(err).not.toContain(service.key);
});

test('on a terminal login asks for both, and shows no character of the key', async ({ skip }) => {
  skip(withoutTerminal, needsTerminal);
  const home = folder.file('f');
  const terminal = spawnInTerminal(['login'], { home });
  let shown = '';
  const typed = [`\u0015${service.url}\r`, `${service.key}\r`];
  const questions = ['Address of the service', 'API key'];
  for await (const bytes of terminal.stdout ?? []) {
    shown += String(bytes);
    if (questions[0] !== undefined && shown.includes(questions[0])) {
      questions.shift();
      terminal.stdin?.write(typed.shift() ?? '');
    }
  }
  expect(shown).toContain('Logged in to the workspace');
  expect(shown).not.toContain(service.key.slice(8));
  expect(await modes(path.join(home, 'media-search', 'credentials.json'), path.join(home, 'media-search'))).toEqual([
    '600',
    '700',
  ]);
});
