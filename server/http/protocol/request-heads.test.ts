import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { sendRaw } from '../../testing/raw-http.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
});

afterAll(() => service[Symbol.asyncDispose]());

const home = `GET ${basePath}/openapi.json HTTP/1.1\r\n`;

describe('an invalid HTTP request is answered in the envelope', () => {
  test.each([
    ['NONSENSE\r\n\r\n', 400, 'malformed_body'],
    ['GET / HTTP/9.9\r\n\r\n', 400, 'malformed_body'],
    [`GET /?q=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large'],
    [`${home}Host: x\r\n${'A: b\r\n'.repeat(5000)}\r\n`, 431, 'headers_too_large'],
    [`${home}\r\n`, 400, 'malformed_body'],
    [`${home}Host: a\r\nHost: b\r\n\r\n`, 400, 'malformed_body'],
    [`${home}Host: a\r\nhost: a\r\n\r\n`, 400, 'malformed_body'],
    [`${home}Host:\r\n\r\n`, 400, 'malformed_body'],
    [`${home}Host: a"><script>\r\n\r\n`, 400, 'malformed_body'],
    [`${home}Host: user@a\r\n\r\n`, 400, 'malformed_body'],
    ['GET /nowhere HTTP/1.1\r\n\r\n', 400, 'malformed_body'],
    [`${home}Host: x\r\nExpect: miracles\r\n\r\n`, 417, 'expectation_failed'],
    [`${home}Host: x\r\nX-Split: a\rb: c\r\n\r\n`, 400, 'malformed_body'],
    [`${home}Host: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400, 'malformed_body'],
    [`${home}Host: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'malformed_body'],
    ['CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n', 405, 'method_not_allowed'],
    [`TRACE ${basePath}/media HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 401, 'missing_api_key'],
  ])('%j', async (bytes, status, code) => {
    const { status: answered, headers, body } = await sendRaw(service.url, bytes);
    expect(answered).toBe(status);
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(body).toMatchObject({ success: false, error: { code } });
  });

  test.each(['localhost', 'a.example:8080', '127.0.0.1:1', '[::1]:8080', '[::1]'])('a host may be %s', async (host) => {
    const { status } = await sendRaw(service.url, `${home}Host: ${host}\r\n\r\n`);
    expect(status).toBe(200);
  });

  test('a client of HTTP/1.0 need not name a host', async () => {
    const { status } = await sendRaw(
      service.url,
      `GET ${basePath}/openapi.json HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
    );
    expect(status).toBe(200);
  });
});

describe('a client that asks before it sends a body', () => {
  async function ask(headers: Record<string, string>, path = '/creators') {
    const request = httpRequest(`${service.url}${basePath}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': '16', Expect: '100-continue', ...headers },
    });
    let continued = false;
    request.on('continue', () => {
      continued = true;
      request.end('{"name":"Patie"}');
    });
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [{ statusCode: number; headers: object; resume(): void }];
    response.resume();
    request.destroy();
    return { continued, status: response.statusCode, headers: response.headers };
  }

  test('gets 100 Continue when its head is valid', async () => {
    const answer = await ask({ Authorization: `Bearer ${service.key}` });
    expect(answer).toMatchObject({ continued: true, status: 201 });
    expect(answer.headers).not.toMatchObject({ connection: 'close' });
  });

  test('is refused before it sends the body when its key or path is wrong', async () => {
    const refused = { continued: false, headers: { connection: 'close' } };
    expect(await ask({})).toMatchObject({ ...refused, status: 401 });
    expect(await ask({ Authorization: 'Bearer service_wrong' }, '/media/upload')).toMatchObject({
      ...refused,
      status: 401,
    });
  });
});
