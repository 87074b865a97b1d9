import { afterAll, beforeAll, expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const origin = 'https://editor.example';

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
});

afterAll(() => service[Symbol.asyncDispose]());

test('scripts of any site may call the API with a key', async () => {
  const preflight = await fetch(`${service.url}${basePath}/creators`, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toMatch(/POST.*DELETE/);
  expect(preflight.headers.get('Access-Control-Allow-Headers')).toMatch(/Authorization.*Idempotency-Key/);
  expect(preflight.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  const headers = { Origin: origin, Authorization: `Bearer ${service.key}` };
  for (const address of ['/workspace', '/nowhere', '/openapi.json']) {
    const answer = await fetch(`${service.url}${basePath}${address}`, { headers });
    expect(answer.headers.get('Access-Control-Allow-Origin'), address).toBe('*');
    expect(answer.headers.get('Access-Control-Expose-Headers')).toMatch(/ETag.*RateLimit.*X-Request-Id/);
  }
});

test('they can also read the refusal of a request without a key', async () => {
  const answer = await fetch(`${service.url}${basePath}/media`, { headers: { Origin: origin } });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
});

test('cookies are never accepted across sites', async () => {
  const cookie = (await service.signIn()).cookie();
  const attempts: [string, RequestInit][] = [
    ['/auth/session', { headers: { cookie, Origin: origin, 'Sec-Fetch-Site': 'cross-site' } }],
    ['/manage/api-keys', { headers: { cookie, 'Sec-Fetch-Site': 'cross-site' } }],
    ['/manage/api-keys', { headers: { cookie, 'Sec-Fetch-Site': 'same-site' } }],
    ['/manage/api-keys', { method: 'POST', headers: { cookie, Origin: origin } }],
    ['/auth/sign-out', { method: 'POST', headers: { cookie, Origin: 'null' } }],
  ];
  for (const [address, init] of attempts) {
    const answer = await fetch(service.url + address, init);
    expect(answer.status, address).toBe(403);
    expect(answer.headers.get('Access-Control-Allow-Origin'), address).toBeNull();
    expect(await answer.json()).toMatchObject({ success: false, error: { code: 'forbidden' } });
  }
  // The session goes on, and opens nothing of the API.
  const session = await fetch(`${service.url}/auth/session`, { headers: { cookie, 'Sec-Fetch-Site': 'same-origin' } });
  expect(await session.json()).toMatchObject({ data: { workspace: { role: 'owner' } } });
  expect((await fetch(`${service.url}${basePath}/media`, { headers: { cookie } })).status).toBe(401);
});

test('the reference is a page of this service that loads nothing from other origins', async () => {
  const page = await fetch(`${service.url}/reference`);
  expect(page.url).toBe(`${service.url}/reference/`);
  const html = await page.text();
  expect(html).toContain(`${basePath}/openapi.json`);
  expect(html).not.toMatch(/(src|href)="https?:/);
  expect(page.headers.get('Content-Security-Policy')).toMatch(/default-src 'self'/);
  const script = /src="([^"]+)"/.exec(html)?.[1] ?? '';
  expect((await fetch(new URL(script, page.url))).headers.get('Content-Type')).toMatch(/javascript/);
  expect((await fetch(`${service.url}/reference/nowhere`)).status).toBe(404);
});
