import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { addMember } from '../../testing/add-member.ts';
import { cheapHash } from '../../testing/cheap-hash.ts';
import { startTestService } from '../../testing/running-service.ts';

const password = 'long enough to count';
let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => service[Symbol.asyncDispose]());

async function send(from: string, path: string, body: unknown, cookie = '') {
  const headers = { 'X-Forwarded-For': from, 'Content-Type': 'application/json', Cookie: cookie };
  const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await answer.arrayBuffer();
  const cookies = answer.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  return { status: answer.status, device: cookies.find((each) => each.startsWith('media_search_device=')) };
}

async function addAccount(email: string) {
  await addMember(service, email);
  const account = service.db.updateTable('people').set({ password_hash: cheapHash(password) });
  await account.where('email', '=', email).execute();
}

test('a stranger who guesses locks nobody out elsewhere, nor on a device that they signed in with', async () => {
  for (const email of ['ana@example.org', 'bo@example.org']) await addAccount(email);
  const signIn = (from: string, secret: string, cookie?: string, email = 'ana@example.org') =>
    send(from, '/auth/sign-in', { email, password: secret }, cookie);
  const before = await signIn('203.0.113.1', password);
  expect(before).toMatchObject({ status: 200, device: expect.stringMatching(/^media_search_device=./) as string });
  const ofAnother = await signIn('203.0.113.1', password, undefined, 'bo@example.org');
  for (let i = 0; i < 10; i++) expect((await signIn('203.0.113.1', 'wrong')).status).toBe(401);
  expect((await signIn('203.0.113.1', password)).status).toBe(429);
  expect((await signIn('203.0.113.1', password, before.device)).status).toBe(200);
  expect((await signIn('198.51.100.2', password)).status).toBe(200);
  // What another person has, or somebody has made up, is no device of hers.
  for (const device of [ofAnother.device, 'media_search_device=a.b', `${before.device}x`, 'media_search_device=.']) {
    expect((await signIn('203.0.113.1', password, device)).status).toBe(429);
  }
});

test('a sign-in link, an invitation and a share work from where fifty others were guessed', async () => {
  const from = '203.0.113.9';
  const junk = { token: 'x'.repeat(43) };
  for (let i = 0; i < 50; i++) await send(from, '/auth/sign-in', junk);
  expect((await send(from, '/auth/sign-in', junk)).status).toBe(429);
  const owner = await service.signIn();
  const link = (await owner.post<{ url: string }>('/manage/invitations', { role: 'member' })).data.url;
  const invitation = { token: link.split(/[#/=]/).at(-1) };
  expect((await send(from, '/auth/invitation', invitation)).status).toBe(200);
  const person = { ...invitation, name: 'Cy', email: 'cy@example.org', password };
  expect((await send(from, '/auth/join', person)).status).toBe(200);
  const token = (await service.signInLink()).split(/[#/=]/).at(-1);
  expect((await send(from, '/auth/sign-in', { token })).status).toBe(200);

  const file = path.join(service.folder, 'photo.png');
  await makePhoto(file, plain(200, 30, 30));
  const photo = await service.client.waitUntilIndexed((await service.client.upload(file)).data.id);
  const { url } = (await service.client.post<{ url: string }>('/shares', { media_id: photo.id })).data;
  const open = async (address: string) => {
    const answer = await fetch(address, { headers: { 'X-Forwarded-For': from } });
    await answer.arrayBuffer();
    return answer.status;
  };
  const unknown = `${service.url}/s/${'B'.repeat(43)}`;
  for (let i = 0; i < 50; i++) expect(await open(unknown)).toBe(404);
  expect(await open(unknown)).toBe(429);
  expect(await open(url)).toBe(200);
  expect(await open(`${url}/media`)).toBe(200);
});
