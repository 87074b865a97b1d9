import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import { createTusRequests } from '../../../server/testing/tus-requests.ts';
import { serve } from '../../typescript/testing/serve.ts';
import { runCommand, type TestSurroundings } from '../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let [sea, ferry] = ['', ''];
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  folder = await temporaryFolder();
  const tus = createTusRequests(service);
  const idOf = (at: string) => at.split('/').at(-1) ?? '';
  const at = await tus.create(2_000_000, { filename: 'sea.mp4' });
  await tus.patch(at, 0, Buffer.alloc(1000));
  sea = idOf(at);
  ferry = idOf(await tus.create(500, { filename: 'ferry at night.mp4' }));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (words: string[], more: Partial<TestSurroundings> = {}) =>
  runCommand(words, {
    home: folder.path,
    ...more,
    env: { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key, NO_COLOR: '1', ...more.env },
  });

test('open uploads are listed for scripts, for people and as JSON; the workspace says what they reserve', async () => {
  const { code, out, err } = await run(['uploads']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
  expect(rows).toEqual([
    [ferry, 'waiting', '0', '500', '', time, time, 'ferry at night.mp4'],
    [sea, 'waiting', '1000', '2000000', '', time, time, 'sea.mp4'],
  ]);
  expect((await run(['uploads', 'list'], { terminal: 200 })).out).toMatch(
    /^ID +STATE +RECEIVED +SIZE +BY +BEGUN +EXPIRES +FILE\n.*\n\S+ +waiting +1\.00 kB +2\.00 MB +a script .* sea\.mp4\n$/,
  );
  expect(JSON.parse((await run(['uploads', '--json'])).out)).toMatchObject([{ id: ferry }, { id: sea, offset: 1000 }]);
  expect((await run(['workspace'])).out).toContain('open uploads\t2\t2000500\n');
  expect((await run(['workspace'], { terminal: 80 })).out).toMatch(
    /open uploads +2, 2\.00 MB reserved beside what is used\n/,
  );
  expect(await run(['uploads', 'discrad'])).toMatchObject({
    code: 1,
    err: 'There is no command “uploads discrad”. There are “uploads list” and “uploads discard”.\n',
  });
});

test('uploads are discarded by their identifiers, not without --yes where standard input is no terminal; failures are named', async () => {
  expect(await run(['uploads', 'discard', sea])).toMatchObject({
    code: 1,
    err: 'There is no terminal to ask on. Say --yes to discard without a question.\n',
  });
  const some = await run(['uploads', 'discard', '--yes', service.workspaceId, sea]);
  expect(some).toMatchObject({ code: 1, out: `${sea}\n`, err: `${service.workspaceId}: There is no such upload.\n` });
  const last = await run(['uploads', 'discard', '-y', ferry, '--json']);
  expect({ ...last, out: JSON.parse(last.out) }).toEqual({
    code: 0,
    out: [{ id: ferry, result: 'discarded', error: null }],
    err: '',
  });
  expect(await run(['uploads'])).toMatchObject({ code: 0, out: '', err: 'There are no open uploads.\n' });
  expect(await run(['workspace'])).toMatchObject({ out: expect.not.stringContaining('open uploads') as string });
});

test('what fails for all is said once, and exits as it does for one', async () => {
  const [refused, away] = [{ MEDIA_SEARCH_KEY: 'service_wrong' }, { MEDIA_SEARCH_URL: 'http://127.0.0.1:9' }];
  for (const words of [
    ['uploads', 'discard', '--yes'],
    ['delete', '--yes'],
    ['delete', '--yes', '--trash'],
    ['download'],
  ]) {
    for (const more of [[], ['--json']]) {
      const several = [...words, sea, ferry, ...more];
      const wrong = await run(several, { env: refused });
      expect(wrong).toMatchObject({ code: 4, out: '' });
      expect(wrong.err).toMatch(/^http:\S+ does not accept the API key\.[^\n]*\n$/);
      const offline = await run(several, { env: away });
      expect(offline).toMatchObject({ code: 1, out: '' });
      expect(offline.err).toMatch(/^http:\S+ cannot be reached\.[^\n]*\n$/);
    }
  }
});

test('a service that lists none says so', async () => {
  await using older = await serve((_, response) => response.writeHead(405).end());
  const env = { MEDIA_SEARCH_URL: older.url };
  expect(await run(['uploads'], { env })).toMatchObject({ code: 1, err: 'This service does not list uploads.\n' });
});
