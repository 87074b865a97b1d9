import { expect, test } from 'vitest';
import { makePhoto, square } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import type { MediaItem } from '../../typescript/index.ts';
import { serve } from '../../typescript/testing/serve.ts';
import { runCommand } from '../testing/run-cli.ts';

type Line = { id: string; type: string; data: { media: MediaItem } };

test('events come as they happen, from an event on, and of some types', async () => {
  await using service = await startTestService();
  await using folder = await temporaryFolder();
  const around = { home: folder.path, env: { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key } };
  /** Follows until an event came so often. */
  const follow = async (
    words: string[],
    until: string,
    times: number,
    whenThere: () => Promise<void> = async () => {},
  ) => {
    const ending = new AbortController();
    const lines: string[] = [];
    const onOut = (text: string) => {
      lines.push(text);
      if (lines.filter((line) => line.includes(until)).length === times) ending.abort();
    };
    const { code, err } = await runCommand(['events', ...words], {
      ...around,
      signal: ending.signal,
      onOut,
      onErr: () => void whenThere(),
    });
    return { code, err, lines };
  };
  const upload = async (name: string, red: number) => {
    await makePhoto(folder.file(name), square([red, 20, 30], [255, 255, 255]));
    return (await service.client.upload(folder.file(name))).data.id;
  };

  let id = '';
  const { code, err, lines } = await follow(['--json'], 'media.completed', 1, async () => {
    id = await upload('first.jpg', 10);
  });
  expect([code, err]).toEqual([0, 'Following events. Ctrl-C ends it.\n']);
  const events = lines.map((line) => JSON.parse(line) as Line);
  expect(events.at(-1)).toMatchObject({ type: 'media.completed', data: { media: { id, filename: 'first.jpg' } } });

  const second = await upload('second.jpg', 20);
  await service.client.waitUntilIndexed(second);
  const since = await follow(
    ['--since', events.at(-1)?.id ?? '', '--type', 'media.created,media.completed'],
    'media.',
    2,
  );
  // As many fields in each line, for scripts.
  expect(since.lines.map((line) => line.split('\t').slice(1))).toEqual([
    ['media.created', second, 'second.jpg', '\n'],
    ['media.completed', second, 'second.jpg', '\n'],
  ]);
  expect(await runCommand(['events', '--type', 'media.eaten'], around)).toMatchObject({
    code: 1,
    err: expect.stringContaining('There are media.created, media.progress') as string,
  });
});

test('a service that is away is said once, and is asked again', async () => {
  let asked = 0;
  const ending = new AbortController();
  await using server = await serve((_, response) => {
    if (++asked === 3) ending.abort();
    response.writeHead(502).end('<html>Bad gateway</html>');
  });
  const env = { MEDIA_SEARCH_URL: server.url, MEDIA_SEARCH_KEY: 'service_x' };
  expect(await runCommand(['events'], { home: '/nowhere', env, signal: ending.signal })).toEqual({
    code: 0,
    out: '',
    err: 'The service answered with status 502. The stream of events is asked for again until it comes.\n',
  });
});

test('a service without events says so', async () => {
  await using server = await serve((_, response) => void response.writeHead(404).end('{}'));
  const env = { MEDIA_SEARCH_URL: server.url, MEDIA_SEARCH_KEY: 'service_x' };
  expect(await runCommand(['events'], { home: '/nowhere', env })).toMatchObject({
    code: 1,
    err: 'This service has no events.\n',
  });
});
