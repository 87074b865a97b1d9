import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createPerson } from '../../catalog/accounts/people.ts';
import { createSession } from '../../catalog/accounts/sessions.ts';
import { readGreeting, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, startTestService } from '../../testing/running-service.ts';

test('responses with keys, sessions or links are never cached', async () => {
  await using service = await startTestService({ workers: 0 });
  const browser = await service.signIn();
  const keys = await browser.get<{ id: string }[]>('/manage/api-keys');
  const id = keys.data[0]?.id ?? '';
  const answers = [
    keys,
    await browser.get('/auth/session'),
    await browser.get(`/manage/api-keys/${id}/secret`),
    await browser.post('/manage/api-keys'),
    await browser.post(`/manage/api-keys/${id}/rotate`, { grace_hours: 1 }),
    await browser.post('/manage/invitations', { role: 'member' }),
    await browser.post('/auth/sign-in', { token: 'wrong' }),
  ];
  for (const { headers, status } of answers)
    expect([status, headers.get('Cache-Control')]).toEqual([status, 'no-store']);
});

test('no key, signature, one-time token or password is in a log, even at the most verbose level', async () => {
  await using folder = await temporaryFolder();
  const settings = {
    DATA_DIR: folder.file('data'),
    PORT: '0',
    WORKERS: '1',
    LOG_LEVEL: 'trace',
  };
  const service = spawnProgram('main', [], settings);
  const log = text(service.stderr as NodeJS.ReadableStream);
  const { url, key, out } = await readGreeting(service);
  const token = /token=(\S+)/.exec(out)?.[1] ?? '';
  await makePhoto(folder.file('photo.png'), plain(200, 30, 30));
  const client = createTestClient(url, key);
  const { data } = await client.upload(folder.file('photo.png'));
  const { download_url } = await client.waitUntilIndexed(data.id);
  const signature = new URL(download_url).searchParams.get('signature') ?? '';
  expect((await fetch(download_url)).status).toBe(200);
  expect((await fetch(`${download_url}x`)).status).toBe(403);
  const share = await client.post<{ url: string }>('/shares', { media_id: data.id });
  for (const end of ['', '/media', '/nothing']) await fetch(share.data.url + end);
  await fetch(`${url}/sign-in?token=${token}`);
  await fetch(`${url}/nowhere.txt?token=${token}`);
  await fetch(`${url}/%E0?token=${token}`);
  const headers = { 'Content-Type': 'application/json', Referer: `${url}/sign-in?token=${token}` };
  const signedIn = await fetch(`${url}/auth/sign-in`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  await fetch(`${url}/auth/session`, { headers: { cookie } });
  const password = 'correct horse battery staple';
  const body = JSON.stringify({ email: 'ana@example.org', password });
  await fetch(`${url}/auth/sign-in`, { method: 'POST', headers, body });
  await client.call(`/media/search?q=secretwords`);
  service.kill('SIGTERM');
  await once(service, 'exit');
  const lines = await log;
  expect(lines).toContain('/auth/sign-in');
  const shared = share.data.url.slice(-43);
  for (const secret of [key, token, signature, cookie.split('=')[1] ?? '-', password, 'secretwords', shared]) {
    expect(secret.length).toBeGreaterThan(8);
    expect(lines).not.toContain(secret);
  }
});

test('an invitation cannot be used to find out which e-mail addresses have accounts', async () => {
  await using service = await startTestService({ workers: 0 });
  const { db, workspaceId, url } = service;
  const owner = await service.signIn();
  const person = await createPerson(db, { name: 'Ana', email: 'ana@example.org', password_hash: 'x' });
  if (person === undefined) throw new Error('There is such a person.');
  await createSession(db, person, workspaceId).catch(() => undefined);
  const { data } = await owner.post<{ url: string }>('/manage/invitations', { role: 'member' });
  const token = new URL(data.url).searchParams.get('token') ?? '';
  const join = (email: string) =>
    fetch(`${url}/auth/join`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, name: 'Guess', email, password: 'long enough to count' }),
    });
  for (let i = 0; i < 10; i++) expect((await join('ana@example.org')).status).toBe(409);
  const beyond = await join('ana@example.org');
  expect(beyond.status).toBe(429);
  expect(Number(beyond.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('guessing invitations does not block sign-ins from the same IP address', async () => {
  await using service = await startTestService({ workers: 0 });
  const post = (path: string, body: object) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const person = { email: 'ana@example.org', password: 'long enough to count' };
  const statuses: number[] = [];
  for (let i = 0; i < 52; i++) {
    statuses.push((await post('/auth/join', { token: `guess-${i}`, name: 'Guess', ...person })).status);
  }
  expect(statuses.at(-1)).toBe(429);
  expect((await post('/auth/sign-in', person)).status).toBe(401);
});
