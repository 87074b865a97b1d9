import type { FuzzedRequest, FuzzContext } from './fuzz-context.ts';
import { hostileValue } from './schema-values.ts';

/** A path that is not documented, or one in an ambiguous notation. */
export function drawUnknownPath(base: FuzzedRequest, { campaign, canaryPort }: FuzzContext): FuzzedRequest {
  const target = campaign.pick([
    '/api/v1',
    '/api/v1/',
    '/api/v2/media',
    '/api/v1/nothing',
    '/api/v1/media/upload/x',
    '/api//v1/media',
    '/API/V1/media',
    '/api/v1/media;x=1',
    '/api/v1/%6dedia',
    '/manage/nothing',
    '/auth/nothing',
    '/auth/../manage/api-keys',
    '/files/a/b/c',
    '/files/a/b/c?expires=1&signature=x',
    '/files/..%2f..%2f/b/c?expires=9999999999&signature=x',
    '/files/%00/b/c?expires=1e9&signature[]=x',
    '/reference',
    '/reference/nothing',
    '/assets/../../server/main.ts',
    '/..%2f..%2fpackage.json',
    '/%2e%2e/package.json',
    '/%',
    '/%ff',
    '//elsewhere.example/',
    `http://127.0.0.1:${canaryPort}/`,
    '*',
    `/${'a'.repeat(5000)}`,
    `/api/v1/media?${'a=1&'.repeat(2000)}`,
    '/?q=1',
    '/library',
    '/sign-in?token=x',
  ]);
  return { ...base, kind: 'unknown path', target, path: null };
}

/** Bytes that are not an HTTP request, or an ambiguous one. */
export function drawBrokenHttp(base: FuzzedRequest, { campaign, identity }: FuzzContext): FuzzedRequest {
  const bytes = campaign.pick<() => string>([
    () => 'GET\r\n\r\n',
    () => 'nonsense\r\n\r\n',
    () => `GET ${base.target} HTTP/9.9\r\n\r\n`,
    () => `GET ${base.target} HTTP/1.1\r\n\r\n`,
    () => `GET ${base.target} HTTP/1.0\r\n\r\n`,
    () => `GET ${base.target} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`,
    () => `GET ${base.target} HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n`,
    () => `GET ${base.target} HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n`,
    () =>
      `GET /api/v1/workspace HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${identity.key}\r\nAuthorization: Bearer x\r\n\r\n`,
    () =>
      `POST /api/v1/creators HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
    () => `POST /api/v1/creators HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: -1\r\n\r\n`,
    () =>
      `POST /api/v1/creators HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    () => `POST /api/v1/creators HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    () => `GET / HTTP/1.1\r\n${'X-Many: 1\r\n'.repeat(3000)}\r\n`,
    () => `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    () => (JSON.stringify(hostileValue(campaign)) ?? '').slice(0, 500),
  ])();
  return { ...base, kind: 'broken HTTP', bytes: Buffer.from(`${bytes}\r\n\r\n`), path: null, incomplete: true };
}
