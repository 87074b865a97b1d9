import { execFileSync, spawn } from 'node:child_process';
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileCache } from '../../../server/testing/programs.ts';
import { startLibrary } from '../testing/library.ts';
import { spawnCommand, waitForCommand } from '../testing/run-cli.ts';

let library: Awaited<ReturnType<typeof startLibrary>>;
beforeAll(async () => {
  library = await startLibrary();
});
afterAll(() => library[Symbol.asyncDispose]());

/** Without the colours that tests would have to leave out. */
const plainText = { NO_COLOR: '1' };

/** The values of each row, as a script reads them. */
const rows = (out: string): string[][] =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));

test('search prints a hit a line: score, file, start, end and where to play it', async () => {
  const { code, out, err } = await library.run(['search', 'dark', 'blue', '-n', '2', '--type', 'video']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [first, second] = rows(out);
  expect(first).toEqual([
    expect.stringMatching(/^0\.\d+$/),
    'harbour.mp4',
    '0',
    '2',
    `${library.url}/media/${library.video}`,
  ]);
  expect(second?.slice(1)).toEqual(['harbour.mp4', '2', '4', `${library.url}/media/${library.video}?t=2`]);
});

test('on a terminal hits are a table with times as clocks write them', async () => {
  const { out } = await library.run(['search', 'dark', 'blue', '-n', '1'], { terminal: 200, env: plainText });
  expect(out).toMatch(/^SCORE +FILE +FROM–TO +ADDRESS\n +0\.\d\d +harbour\.mp4 +0:00\.0–0:02\.0 +http/);
  const coloured = await library.run(['search', 'dark', 'blue', '-n', '1'], {
    terminal: 200,
    env: { FORCE_COLOR: '1' },
  });
  expect(coloured.out).toContain('\u001b[1mharbour.mp4\u001b[22m');
});

test('--json prints what the API has, as one array', async () => {
  const { out } = await library.run(['search', 'dark blue', '--json']);
  const { data } = await library.client.search('dark blue', '&n=10');
  const withoutTimes = (hits: { id: string; chunk_id: string }[]) => hits.map((hit) => [hit.id, hit.chunk_id]);
  expect(withoutTimes(JSON.parse(out) as [])).toEqual(withoutTimes(data));
  expect(out.trimEnd()).not.toContain('\n');
});

test('search by an image: a file, or an address', async () => {
  const byFile = await library.run(['search', '--image', library.files.file('photo.jpg'), '-n', '1']);
  expect(rows(byFile.out)[0]?.slice(1)).toEqual(['photo.jpg', '0', '0', `${library.url}/media/${library.photo}`]);
  const { data } = await library.client.get<{ download_url: string }>(`/media/${library.photo}`);
  expect((await library.run(['search', '--image', data.download_url, '-n', '1'])).out).toBe(byFile.out);
  const missing = await library.run(['search', '--image', 'missing.jpg']);
  expect(missing).toMatchObject({ code: 1, out: '', err: 'missing.jpg does not exist.\n' });
});

test('a source that is not a regular file is refused before it is opened, such as a named pipe without a writer', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'it has no named pipes in folders');
  const pipe = library.files.file('pipe.jpg');
  execFileSync('mkfifo', [pipe]);
  for (const image of [pipe, library.files.path]) {
    const refused = await library.run(['search', '--image', image]);
    expect(refused).toMatchObject({ code: 1, out: '', err: `${image} is no file with an image to search by.\n` });
  }
});

test('search wants words or an image, and names of filters that exist', async () => {
  expect((await library.run(['search'])).err).toBe(
    'Say what to look for: words, --image FILE, or both; or --video FILE.\n',
  );
  await library.run(['creators', 'create', 'Ana Lima']);
  expect(await library.run(['search', 'blue', '--creator', 'Bob'])).toMatchObject({
    code: 1,
    out: '',
    err: 'There is no creator named “Bob”. There are “Ana Lima”.\n',
  });
  expect((await library.run(['search', 'blue', '--creator', 'ana lima'])).err).toBe('Nothing was found.\n');
});

test('--export saves each hit as a clip, and replaces nothing', async () => {
  const clips = path.join(library.files.path, 'clips');
  const words = ['search', 'dark', 'blue', '--type', 'video', '-n', '1', '--export', clips];
  expect((await library.run(words)).code).toBe(0);
  const clip = path.join(clips, 'harbour 00.00.00.000-00.00.02.000.mp4');
  expect((await readFile(clip)).includes('ftyp')).toBe(true);
  await writeFile(clip, 'mine');
  const again = await library.run(words);
  expect(again).toMatchObject({ code: 1, err: `harbour.mp4, 0:00.0: ${clip} exists. --force replaces it.\n` });
  expect(await readFile(clip, 'utf8')).toBe('mine');
  const photo = await library.run(['search', 'red', '--type', 'image', '--export', clips]);
  expect(photo.err).toContain(`Saved ${path.join(clips, 'photo.jpg')}\n`);
  expect(await readdir(clips)).toHaveLength(2);
});

test('--open plays a hit in the browser that is set', async () => {
  await mkdir(library.files.file('bin'), { recursive: true });
  const browser = library.files.file('bin/browser');
  const opened = library.files.file('opened');
  await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`, {
    mode: 0o755,
  });
  const env = { BROWSER: browser };
  expect(
    (await library.run(['search', 'dark', 'blue', '--open', '--rank', '2', '--type', 'video'], { env })).code,
  ).toBe(0);
  const written = () => readFile(opened, 'utf8');
  await expect.poll(written).toBe(`${library.url}/media/${library.video}?t=2`);
  const none = await library.run(['search', 'dark', 'blue', '--open', '--rank', '9'], { env });
  expect(none).toMatchObject({ code: 1, err: 'There is no hit 9 to open.\n' });
  const broken = await library.run(['get', library.video, '--open'], { env: { BROWSER: '/nowhere' } });
  expect(broken.err).toContain(`Open this address: ${library.url}/media/${library.video}`);
});

test('highlights come by how unusual they are', async () => {
  const { out } = await library.run(['highlights', '--method', 'centroid', '-n', '2']);
  const scores = rows(out).map(([score]) => Number(score));
  expect(scores).toHaveLength(2);
  expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
});

test('list shows items by state, type and name, and says when there are more', async () => {
  const { out } = await library.run(['list', '--sort', 'filename']);
  expect(
    rows(out).map(([id, status, type, length, size, , name]) => [id, status, type, length, Number(size) > 0, name]),
  ).toEqual([
    [library.video, 'complete', 'video', '4', true, 'harbour.mp4'],
    [library.photo, 'complete', 'image', '', true, 'photo.jpg'],
  ]);
  expect(await library.run(['list', '-n', '1'])).toMatchObject({
    code: 0,
    err: 'Shown: the first 1 item. --all shows all, -n NUMBER more.\n',
  });
  expect(JSON.parse((await library.run(['list', '--name', 'harb', '--json'])).out)).toMatchObject([
    { id: library.video },
  ]);
  expect((await library.run(['list', '--status', 'error'])).err).toBe('There are no such items.\n');
});

test('get shows an item', async () => {
  const { out } = await library.run(['get', library.video]);
  for (const field of [
    ['type', 'video', 'video/mp4'],
    ['length', '4'],
    ['uploaded', expect.stringMatching(/Z$/)],
  ])
    expect(rows(out)).toContainEqual(field);
  const shown = await library.run(['get', library.video], { terminal: 80, env: plainText });
  expect(shown.out).toMatch(/^type +video \(video\/mp4\)\n(?:.*\n)*length +0:04\.0$/m);
  // An empty variable of a script would ask for the list of all items.
  expect(await library.run(['get', ''])).toEqual({ code: 1, out: '', err: '“” is no id.\n' });
  expect(JSON.parse((await library.run(['get', library.video, '--json'])).out)).toMatchObject({
    filename: 'harbour.mp4',
  });
  const unknown = await library.run(['get', library.workspaceId, '--verbose']);
  expect(unknown.code).toBe(1);
  expect(unknown.err).toMatch(/^There is no such media item\.\nRequest \S+, status 404, code not_found\n$/);
});

test('download saves the original, does not fetch it twice, and replaces nothing', async () => {
  const dir = library.files.file('originals');
  await mkdir(dir, { recursive: true });
  const target = path.join(dir, 'harbour.mp4');
  const words = ['download', library.video, '--dir', dir];
  expect(await library.run(words)).toMatchObject({ code: 0, out: `${target}\n` });
  expect(await readFile(target)).toEqual(await readFile(library.files.file('harbour.mp4')));
  expect(await library.run(words)).toMatchObject({ code: 0, err: `${target} is there already.\n` });
  await writeFile(target, 'mine');
  expect(await library.run(words)).toMatchObject({ code: 1, err: `${target} exists. --force replaces it.\n` });
  expect(await readFile(target, 'utf8')).toBe('mine');
  const both = ['download', library.workspaceId, library.photo, '--dir', dir];
  const [file, error] = [path.join(dir, 'photo.jpg'), 'There is no such media item.'];
  const err = `${library.workspaceId}: ${error}\n`;
  expect(await library.run(both)).toEqual({ code: 1, out: `${file}\n`, err });
  const again = await library.run([...both, '--json']);
  expect(again).toMatchObject({ code: 1, err: `${err}${file} is there already.\n` });
  expect(JSON.parse(again.out)).toEqual([
    { id: library.workspaceId, result: 'failed', error },
    { id: library.photo, result: 'present', file, error: null },
  ]);
  const made = library.files.file('made/here');
  const into = await library.run(['download', library.photo, '--dir', made]);
  expect(into).toMatchObject({ code: 0, out: `${path.join(made, 'photo.jpg')}\n` });
  const inTheWay = await library.run(['download', library.photo, '--dir', library.files.file('photo.jpg')]);
  expect(inTheWay).toMatchObject({ code: 1, out: '' });
});

test('delete asks, and deletes nothing where it cannot', async () => {
  const { data } = await library.client.upload(library.files.file('photo.jpg'), 'copy.jpg');
  expect(data.id).toBe(library.photo);
  const refused = await library.run(['delete', library.photo]);
  expect(refused).toMatchObject({
    code: 1,
    err: 'There is no terminal to ask on. Say --yes to delete without a question.\n',
  });
  expect(await library.run(['delete', '--trash', '--yes', library.photo])).toMatchObject({
    code: 0,
    out: `${library.photo}\n`,
  });
  await library.client.post('/trash/restore', { ids: [library.photo] });
  const missing = await library.run(['delete', '--yes', '--json', library.workspaceId]);
  expect(missing).toMatchObject({ code: 1, err: 'There is no such media item.\n' });
  expect(JSON.parse(missing.out)).toMatchObject([{ id: library.workspaceId, result: 'failed' }]);
  const some = await library.run(['delete', '--yes', library.workspaceId, library.photo]);
  expect(some).toMatchObject({ code: 1, out: `${library.photo}\n` });
  expect(some.err).toBe(`${library.workspaceId}: There is no such media item.\n`);
  // For the tests after this one.
  library.photo = (await library.client.upload(library.files.file('photo.jpg'))).data.id;
  await library.client.waitUntilIndexed(library.photo);
});

test('creators, categories and the workspace are shown', async () => {
  const owner = await library.signIn();
  await owner.post('/manage/categories', { name: 'Still life', description: 'Fruit,\tmostly' });
  expect(rows((await library.run(['categories'])).out)[0]?.slice(1)).toEqual([
    '0',
    'Still life',
    String.raw`Fruit,\tmostly`,
  ]);
  const again = await library.run(['creators', 'create', 'ana lima']);
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err).toContain('There is a creator named');
  expect(JSON.parse((await library.run(['creators', '--json'])).out)).toMatchObject([{ name: 'Ana Lima' }]);
  expect(rows((await library.run(['workspace'])).out)).toContainEqual(['items', '2']);
  expect(rows((await library.run(['workspace'])).out)).toContainEqual(['storage', expect.stringMatching(/^\d{4,}$/)]);
  expect(JSON.parse((await library.run(['workspace', '--json'])).out)).toMatchObject({ id: library.workspaceId });
});

test('names from a service cannot act on a terminal or leave the folder', async () => {
  const bytes = Buffer.from('bytes');
  const item = {
    id: library.video,
    filename: '../.ssh/\u001b]0;owned\u0007\u009b2J.mp4',
    type: 'video',
    status: 'complete',
    size: 5,
  };
  const hit = { ...item, score: 0.5, start: 1, end: 2, thumbnail: '', chunk_id: 'x', signals: {}, weak: false };
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}/file`;
    if (request.url === '/file') {
      response.end(bytes);
      return;
    }
    const data = request.url?.includes('/search') ? [{ ...hit, url }] : { ...item, url, download_url: url };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ success: true, data, meta: { notice: 'red \u001b[31m' } }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const env = { MEDIA_SEARCH_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const dir = library.files.file('hostile');
  await mkdir(dir, { recursive: true });
  const found = await Promise.all([
    library.run(['search', 'x'], { env }),
    library.run(['search', 'x'], { env: { ...env, ...plainText }, terminal: 200 }),
    library.run(['search', 'x', '--json'], { env }),
    library.run(['get', library.video], { env: { ...env, ...plainText }, terminal: 80 }),
    library.run(['download', library.video, '--dir', dir], { env }),
  ]);
  server.close();
  for (const { code, out, err } of found) {
    expect(code).toBe(0);
    expect(out + err).not.toMatch(/[^\P{Cc}\t\n]/u);
  }
  expect(await readdir(dir)).toEqual(['__.ssh__]0;owned__2J.mp4']);
});

test('failures say in a sentence what to do, and exit as gh does', async () => {
  const away = { MEDIA_SEARCH_URL: 'http://127.0.0.1:9' };
  expect(await library.run(['list'], { env: away })).toMatchObject({
    code: 1,
    err: 'http://127.0.0.1:9 cannot be reached. Check the address (`media-search status`) and that the service runs.\n',
  });
  const refused = await library.run(['list'], { env: { MEDIA_SEARCH_KEY: 'service_wrong' } });
  expect(refused.code).toBe(4);
  expect(refused.err).toContain('does not accept the API key. Run `media-search login`');
  expect((await library.run(['list'], { env: { MEDIA_SEARCH_URL: '', MEDIA_SEARCH_KEY: '' } })).code).toBe(4);
  expect(await library.run(['list', '--sort', 'colour'])).toMatchObject({ code: 1, out: '' });
  expect((await library.run(['list', '-n', '0'])).err).toContain('It is a whole number from 1 to 100000.');
  for (const words of [['serach'], ['help', 'serach']])
    expect(await library.run(words)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('(Did you mean search?)') as string,
    });
  expect(await library.run(['creators', 'craete', 'Ana'])).toMatchObject({
    code: 1,
    err: 'There is no command “creators craete”. There are “creators list” and “creators create”.\n',
  });
  expect((await library.run([])).code).toBe(1);
  expect(await library.run(['list'], { signal: AbortSignal.abort() })).toMatchObject({ code: 2, err: 'Cancelled.\n' });
});

test('a service that answers JSON of another kind is said to be none', async () => {
  let answer = '';
  const server = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const odd = { code: 1, out: '', err: `The service at ${url} does not answer as Media Search does.\n` };
  for (answer of [
    '<html>A proxy</html>',
    '{}',
    '[]',
    'null',
    '7',
    '{"data":{}}',
    '{"data":null}',
    '{"data":[null]}',
    '{"success":true,"data":"x"}',
  ]) {
    for (const words of [
      ['list'],
      ['search', 'x'],
      ['highlights'],
      ['creators'],
      ['workspace'],
      ['uploads'],
      ['get', library.video],
      ['status'],
    ])
      expect([answer, words, await library.run(words, { env: { MEDIA_SEARCH_URL: url } })]).toEqual([
        answer,
        words,
        odd,
      ]);
  }
  server.close();
});

test('a command whose output is not read completes its work silently and exits with its code', async () => {
  const dir = library.files.file('unread');
  await mkdir(dir);
  const unread = [
    ['list', '--json'],
    ['download', library.video, library.workspaceId, library.photo, '--dir', dir],
  ].map((words) => spawnCommand(words, library.surroundings));
  for (const child of unread) child.stdout?.destroy();
  const failing = waitForCommand(spawnCommand(['get', 'x'], library.surroundings));
  const codes = unread.map((child) => new Promise((resolve) => child.on('exit', resolve)));
  expect(await Promise.all(codes)).toEqual([0, 1]);
  expect(await readdir(dir)).toEqual(['harbour.mp4', 'photo.jpg']);
  expect(await failing).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('must be an identifier') as string,
  });
});

test('output that cannot be written is said in a sentence', async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux has a disk that is always full (/dev/full)');
  const words = [path.join(import.meta.dirname, '..', 'main.ts'), 'list'];
  await using full = await open('/dev/full', 'w');
  const child = spawn(process.execPath, words, {
    env: { ...compileCache, HOME: library.files.path, ...library.surroundings.env },
    stdio: ['ignore', full.fd, 'pipe'],
  });
  if (!child.stderr) throw new Error('No pipe.');
  const ended = new Promise((resolve) => child.on('close', resolve));
  expect(await text(child.stderr)).toMatch(/^The output cannot be written: ENOSPC[^\n]*\n$/);
  expect(await ended).toBe(1);
});
