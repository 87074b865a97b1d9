import { expect, test } from 'vitest';
import { createSignInToken } from '../../catalog/accounts/sessions.ts';
import { startTestService } from '../../testing/running-service.ts';

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('a sign-in link works once and gives a session that cannot be read by scripts', async () => {
  await using service = await startTestService({ workers: 0 });
  const { url, db, key, workspaceId } = service;
  const older = await createSignInToken(db, workspaceId);
  const token = await createSignInToken(db, workspaceId);
  expect((await post(`${url}/auth/sign-in`, { token: older })).status).toBe(401);
  expect(await (await fetch(`${url}/auth/session`)).json()).toEqual({ success: true, data: null });

  const [first, second] = await Promise.all([1, 2].map(() => post(`${url}/auth/sign-in`, { token })));
  const entered = [first, second].filter((response) => response?.status === 200);
  expect(entered).toHaveLength(1);
  const header = entered[0]?.headers.get('set-cookie') ?? '';
  expect(header).toMatch(/HttpOnly/);
  expect(header).toMatch(/SameSite=Strict/);

  const cookie = header.split(';')[0] ?? '';
  const session = await (await fetch(`${url}/auth/session`, { headers: { cookie } })).json();
  expect(session).toMatchObject({
    success: true,
    data: { workspace: { id: workspaceId, role: 'owner', api_key: key } },
  });

  // Another site's page cannot sign a person out, and the cookie alone gives no access to the API.
  expect((await post(`${url}/auth/sign-out`, {}, { cookie, origin: 'https://evil.example' })).status).toBe(403);
  expect((await fetch(`${url}/api/v1/media`, { headers: { cookie } })).status).toBe(401);

  expect((await post(`${url}/auth/sign-out`, {}, { cookie, origin: url })).status).toBe(200);
  expect(await (await fetch(`${url}/auth/session`, { headers: { cookie } })).json()).toMatchObject({ data: null });
});

test('a malformed body is distinguished from an invalid one', async () => {
  await using service = await startTestService({ workers: 0 });
  const broken = await fetch(`${service.url}/auth/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"token":',
  });
  expect(await broken.json()).toMatchObject({ success: false, error: { code: 'malformed_body' } });
  expect(await (await post(`${service.url}/auth/sign-in`, {})).json()).toMatchObject({
    error: { code: 'validation_error', details: [{ path: 'body' }] },
  });
});
