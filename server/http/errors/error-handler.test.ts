import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { operations } from '../../../contract/operations.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { listScratch } from '../../platform/storage/scratch.ts';
import { readGreeting, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, startTestService } from '../../testing/running-service.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { keepJsonUnread } from '../request-bodies/read-json.ts';
import { registerErrorHandling } from './error-handler.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service[Symbol.asyncDispose]());

const send = (method: string, address: string, init: RequestInit = {}) =>
  service.client.call(address, { ...init, method });

describe('every failure has the envelope', () => {
  test.each([
    ['GET', '/nowhere', 404, 'not_found'],
    ['POST', '/nowhere', 404, 'not_found'],
    ['PUT', '/media', 405, 'method_not_allowed'],
    ['DELETE', '/creators', 405, 'method_not_allowed'],
    ['PATCH', '/workspace', 405, 'method_not_allowed'],
    ['GET', '/media/upload', 405, 'method_not_allowed'],
    ['POST', '/openapi.json', 405, 'method_not_allowed'],
    ['GET', `/media/${'x'.repeat(2000)}`, 404, 'not_found'],
    ['GET', '/media/%E0%A4%A', 400, 'malformed_body'],
    ['GET', '/media/..%2f..%2fsecret.key', 400, 'validation_error'],
  ])('%s %s', async (method, address, status, code) => {
    const answer = await send(method, address);
    expect(answer).toMatchObject({ status, success: false, error: { code } });
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    if (status === 405) expect(answer.headers.get('Allow')).toMatch(/GET|POST/);
  });

  test.each([
    ['application/json', '{"name":', 400, 'malformed_body'],
    ['application/json', '', 400, 'validation_error'],
    ['application/json', '[]', 400, 'validation_error'],
    ['application/json', '{"name":"x","__proto__":{"a":1}}', 400, 'malformed_body'],
    ['application/json; charset=utf-8', '"text"', 400, 'validation_error'],
    ['application/xml', '<name/>', 415, 'unsupported_media_type'],
    ['text/plain', 'name', 415, 'unsupported_media_type'],
    ['application/x-www-form-urlencoded', 'name=x', 415, 'unsupported_media_type'],
    ['multipart/form-data', 'x', 415, 'unsupported_media_type'],
  ])('a body of type %s: %s', async (type, body, status, code) => {
    const answer = await send('POST', '/creators', { body, headers: { 'Content-Type': type } });
    expect(answer).toMatchObject({ status, success: false, error: { code } });
  });

  test.each([
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=abc', 'no form at all'],
    [
      'multipart/form-data; boundary=abc',
      '--abc\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
    ],
  ])('a form that is none: %s %s', async (type, body) => {
    const answer = await send('POST', '/media/upload', { body, headers: { 'Content-Type': type } });
    expect(answer.status).toBe(400);
    expect(answer.error.code).toMatch(/malformed_body|validation_error/);
  });

  test('a form with two files, with a file in the wrong part, or with a field too long', async () => {
    const forms = [
      [['file', 'file'], 'may be sent once'],
      [['video'], 'must come in a part named `file`; this one is named `video`'],
      [[], 'is missing'],
    ] as const;
    for (const address of ['/media/upload', '/media/search/image']) {
      for (const [names, message] of forms) {
        const form = new FormData();
        for (const name of names) form.append(name, new Blob(['abc']), 'a.mp4');
        expect(await send('POST', address, { body: form })).toMatchObject({
          status: 400,
          error: { code: 'validation_error', details: [{ path: 'body.file', message }] },
        });
      }
      const form = new FormData();
      form.set('file', 'photo.png');
      const { error } = await send('POST', address, { body: form });
      expect(error.details).toEqual([{ path: 'body.file', message: 'must be a file, and came as text' }]);
    }
    const form = new FormData();
    form.set('creator_id', 'x'.repeat(5000));
    form.set('file', new Blob(['abc']), 'a.mp4');
    expect((await send('POST', '/media/upload', { body: form })).error.code).toMatch(
      /validation_error|payload_too_large/,
    );
  });

  test('an image search without a body is told what is missing', async () => {
    expect(await send('POST', '/media/search/image')).toMatchObject({
      status: 400,
      error: {
        code: 'validation_error',
        details: [{ path: 'body.image', message: expect.stringMatching(/^is missing: .*`file`.*`image`/) as string }],
      },
    });
  });

  test('each invalid part is named', async () => {
    const answer = await send('GET', '/media?page=0&per_page=101&status=done&creator_id=7&sort=colour');
    expect(answer.error.details?.map((detail) => detail.path).toSorted()).toEqual([
      'query.creator_id',
      'query.page',
      'query.per_page',
      'query.sort',
      'query.status',
    ]);
    for (const { message } of answer.error.details ?? []) expect(message).not.toBe('');
  });
});

test('a client that disconnects in the middle of an upload leaves no files', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(
    [
      `POST ${basePath}/media/upload HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${service.key}`,
      'Content-Type: multipart/form-data; boundary=abc',
      'Content-Length: 1000000',
      '',
      '--abc\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\nthe beginning',
    ].join('\r\n'),
  );
  const uploads = () => listScratch(service.scratchDirectory);
  await expect.poll(uploads).toHaveLength(1);
  socket.destroy();
  await expect.poll(uploads).toEqual([]);
  expect((await service.client.get('/media')).data).toEqual([]);
});

test('a handler that takes too long is aborted, and so is one whose client has disconnected', async () => {
  const app = Fastify({ forceCloseConnections: true });
  registerErrorHandling(app);
  keepJsonUnread(app);
  app.decorate('admits', ['key']);
  let aborted = 0;
  const wait = async ({ signal }: { signal: AbortSignal }) => {
    await once(signal, 'abort').then(() => (aborted += 1));
    return { data: {} as never };
  };
  serveOperation(app, operations.getWorkspace, wait, { timeoutSeconds: 0.2 });
  serveOperation(app, { ...operations.createCreator, path: '/slow' }, wait, { timeoutSeconds: 0.2 });
  serveOperation(app, { ...operations.createCreator, path: '/patient' }, wait, { timeoutSeconds: null });
  const url = await app.listen({ port: 0 });
  const body = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"x"}' };
  for (const answer of [await fetch(`${url}/workspace`), await fetch(`${url}/slow`, body)]) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('5');
    expect(await answer.json()).toMatchObject({ success: false, error: { code: 'unavailable' } });
  }
  await expect(fetch(`${url}/patient`, { ...body, signal: AbortSignal.timeout(300) })).rejects.toThrow(
    /abort|timeout/i,
  );
  await expect.poll(() => aborted).toBe(3);
  await app.close();
});

test('a crash is logged under the request id that the client got, and shows nothing else', async () => {
  await using folder = await temporaryFolder();
  const data = folder.file('data');
  const service = spawnProgram('main', [], {
    DATA_DIR: data,
    PORT: '0',
    WORKERS: '1',
    LOG_LEVEL: 'error',
  });
  const log = text(service.stderr as NodeJS.ReadableStream);
  const { url, key } = await readGreeting(service);
  const db = await openCatalog(path.join(data, 'catalog.db'));
  await db.schema.alterTable('creators').renameTo('lost').execute();
  const answer = await createTestClient(url, key).get('/creators');
  await db.schema.alterTable('lost').renameTo('creators').execute();
  await db.destroy();
  expect(answer).toMatchObject({ status: 500, error: { code: 'internal_error' } });
  expect(JSON.stringify(answer.error)).not.toMatch(/creators|sql|table/i);
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
  const lines = (await log).split('\n');
  expect(lines.find((each) => each.includes(answer.headers.get('X-Request-Id') ?? '-'))).toMatch(/no such table/);
  expect(lines.join('')).not.toContain(key);
});
