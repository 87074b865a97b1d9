import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInvitation } from '../../catalog/accounts/invitations.ts';
import { addMember } from '../../testing/add-member.ts';
import {
  createTestBrowser,
  createTestClient,
  startTestService,
  type TestBrowser,
} from '../../testing/running-service.ts';
import type { Session } from './session.ts';

type Key = {
  id: string;
  last_four: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
};
type Secret = { id: string; key: string };
type Member = { id: string; name: string; email: string | null; role: string };
type Listed = Member & { api_keys: number; webhooks: number };
type Invitation = { id: string; role: string; url: string; invited_by: string };

const password = 'long enough to count';

let service: Awaited<ReturnType<typeof startTestService>>;
let owner: TestBrowser;

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  owner = await service.signIn();
});

afterAll(() => service[Symbol.asyncDispose]());

const works = async (key: string) => (await createTestClient(service.url, key).get('/workspace')).status === 200;
const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';

/** A member who is signed in, for tests that ask no password: storing one takes half a second of processor time. */
async function signInMember(name: string): Promise<TestBrowser> {
  const { cookie } = await addMember(service, `${name}@example.org`);
  return createTestBrowser(service.url, cookie);
}

describe('API keys', () => {
  test('a workspace has one when it is created; members find and reveal it', async () => {
    const { id } = await service.addWorkspace('Fresh');
    const browser = await service.signIn(id);
    const { data } = await browser.get<Key[]>('/manage/api-keys');
    expect(data).toHaveLength(1);
    const revealed = await browser.get<Secret>(`/manage/api-keys/${data[0]?.id}/secret`);
    expect(revealed.data.key).toMatch(/^service_[\w-]{32,}$/);
    expect(revealed.data.key.endsWith(data[0]?.last_four ?? '-')).toBe(true);
    expect(data[0]).toMatchObject({ last_used_at: null, expires_at: null, revoked_at: null });
    expect(await works(revealed.data.key)).toBe(true);
    const readLastUse = async () => (await browser.get<Key[]>('/manage/api-keys')).data[0]?.last_used_at;
    await expect.poll(readLastUse).toMatch(/^20/);
  });

  test('rotated without a grace period the old one is revoked at once; otherwise it works until the period ends', async () => {
    const first = (await owner.post<Secret>('/manage/api-keys')).data;
    const second = (await owner.post<Secret>(`/manage/api-keys/${first.id}/rotate`)).data;
    expect([await works(first.key), await works(second.key)]).toEqual([false, true]);
    const third = (await owner.post<Secret>(`/manage/api-keys/${second.id}/rotate`, { grace_hours: 72 })).data;
    expect([await works(second.key), await works(third.key)]).toEqual([true, true]);
    const listed = (await owner.get<Key[]>('/manage/api-keys')).data.find(({ id }) => id === second.id);
    expect(Date.parse(listed?.expires_at ?? '') - Date.now()).toBeCloseTo(72 * 3_600_000, -5);
    // The dashboard continues with the newest key.
    expect((await owner.get<Session>('/auth/session')).data.workspace.api_key).toBe(third.key);
    // Another rotation never extends the grace period.
    await owner.post(`/manage/api-keys/${second.id}/rotate`, { grace_hours: 0.5 });
    const past = new Date(Date.now() - 1000).toISOString();
    await service.db.updateTable('api_keys').set({ expires_at: past }).where('id', '=', second.id).execute();
    expect(await works(second.key)).toBe(false);
    expect((await owner.post(`/manage/api-keys/${second.id}/rotate`)).status).toBe(404);
    for (const grace_hours of [-1, 73, '24']) {
      expect((await owner.post(`/manage/api-keys/${third.id}/rotate`, { grace_hours })).status).toBe(400);
    }
  });

  test('once revoked it is refused everywhere, and is not revealed', async () => {
    const { id, key } = (await owner.post<Secret>('/manage/api-keys')).data;
    expect(await works(key)).toBe(true);
    expect((await owner.delete<Key>(`/manage/api-keys/${id}`)).data.revoked_at).toMatch(/^20/);
    expect(await createTestClient(service.url, key).get('/workspace')).toMatchObject({
      status: 401,
      error: { code: 'invalid_api_key' },
    });
    expect((await owner.get(`/manage/api-keys/${id}/secret`)).status).toBe(404);
    expect((await owner.delete(`/manage/api-keys/${id}`)).status).toBe(200);
  });

  test('members see and reveal them; only owners create, rotate and revoke', async () => {
    const member = await signInMember('keyless');
    const key = (await member.get<Key[]>('/manage/api-keys')).data.find(({ revoked_at }) => revoked_at === null);
    expect((await member.get(`/manage/api-keys/${key?.id}/secret`)).status).toBe(200);
    for (const attempt of [
      () => member.post('/manage/api-keys'),
      () => member.post(`/manage/api-keys/${key?.id}/rotate`),
      () => member.delete(`/manage/api-keys/${key?.id}`),
    ]) {
      expect(await attempt()).toMatchObject({ status: 403, error: { code: 'forbidden' } });
    }
    expect((await member.get<Key[]>('/manage/api-keys')).data.find(({ id }) => id === key?.id)?.revoked_at).toBeNull();
  });
});

describe('members', () => {
  test('join by a link that works once and shows its workspace and role', async () => {
    const { data, status } = await owner.post<Invitation>('/manage/invitations', { role: 'member' });
    expect(status).toBe(201);
    expect(data.url).toMatch(new RegExp(`^${service.url}/join\\?token=`));
    const visitor = createTestBrowser(service.url);
    const token = tokenOf(data.url);
    expect((await visitor.post('/auth/invitation', { token })).data).toMatchObject({
      workspace: { name: 'My workspace' },
      role: 'member',
      invited_by: 'Owner',
    });
    expect(await visitor.post('/auth/join', { token })).toMatchObject({
      status: 400,
      error: { details: [{ path: 'body.name' }, { path: 'body.email' }, { path: 'body.password' }] },
    });
    const short = { token, name: 'Bo', email: 'bo@example.org', password: 'too short' };
    expect((await visitor.post('/auth/join', short)).status).toBe(400);
    const joined = await visitor.post<Session>('/auth/join', { ...short, password });
    expect(joined.data).toMatchObject({
      person: { name: 'Bo', email: 'bo@example.org', has_password: true },
      workspace: { id: service.workspaceId, role: 'member' },
    });
    expect(await works(joined.data.workspace.api_key ?? '')).toBe(true);
    const late = await createTestBrowser(service.url).post('/auth/join', {
      ...short,
      password,
      email: 'c@example.org',
    });
    expect(late.status).toBe(404);
    expect((await owner.get<Member[]>('/manage/members')).data.map(({ name }) => name)).toContain('Bo');
  });

  test('when two people use a link at the same time, only one joins', async () => {
    const { data } = await owner.post<Invitation>('/manage/invitations', { role: 'member' });
    const answers = await Promise.all(
      ['one', 'two'].map((name) =>
        createTestBrowser(service.url).post('/auth/join', {
          token: tokenOf(data.url),
          name,
          email: `${name}@example.org`,
          password,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  });

  test('a signed-in person joins another workspace with their account, and switches between both', async () => {
    const { id } = await service.addWorkspace('Second desk');
    const host = await service.signIn(id);
    const { data } = await host.post<Invitation>('/manage/invitations', { role: 'member' });
    const guest = await signInMember('guest');
    const before = (await guest.get<Session>('/auth/session')).data;
    const joined = (await guest.post<Session>('/auth/join', { token: tokenOf(data.url) })).data;
    expect(joined.person).toEqual(before.person);
    expect(joined.workspace).toMatchObject({ id, role: 'member' });
    expect(joined.workspaces.map(({ name }) => name)).toEqual(['My workspace', 'Second desk']);
    const back = await guest.post<Session>('/auth/workspace', { workspace_id: service.workspaceId });
    expect(back.data.workspace.id).toBe(service.workspaceId);
    expect((await guest.get<Session>('/auth/session')).data.workspace.id).toBe(service.workspaceId);
  });

  test('revoked and expired invitations do not work', async () => {
    const { data } = await owner.post<Invitation>('/manage/invitations', { role: 'owner' });
    expect((await owner.get<Invitation[]>('/manage/invitations')).data.map(({ id }) => id)).toContain(data.id);
    await owner.delete(`/manage/invitations/${data.id}`);
    const visitor = createTestBrowser(service.url);
    expect((await visitor.post('/auth/invitation', { token: tokenOf(data.url) })).status).toBe(404);
    const second = (await owner.post<Invitation>('/manage/invitations', { role: 'member' })).data;
    const past = new Date(Date.now() - 1000).toISOString();
    await service.db.updateTable('invitations').set({ expires_at: past }).where('id', '=', second.id).execute();
    expect((await visitor.post('/auth/invitation', { token: tokenOf(second.url) })).status).toBe(404);
    expect((await owner.get<Invitation[]>('/manage/invitations')).data.map(({ id }) => id)).not.toContain(second.id);
  });

  test('change between owner and member; the last owner cannot be removed', async () => {
    const other = await signInMember('deputy');
    const { person } = (await other.get<Session>('/auth/session')).data;
    const me = (await owner.get<Session>('/auth/session')).data.person;
    expect((await owner.patch(`/manage/members/${me.id}`, { role: 'member' })).error.code).toBe('last_owner');
    expect((await owner.delete(`/manage/members/${me.id}`)).error.code).toBe('last_owner');
    expect((await owner.patch<Member>(`/manage/members/${person.id}`, { role: 'owner' })).data.role).toBe('owner');
    expect((await other.post('/manage/api-keys')).status).toBe(201);
    expect((await owner.patch<Member>(`/manage/members/${person.id}`, { role: 'member' })).data.role).toBe('member');
    expect((await other.post('/manage/api-keys')).status).toBe(403);
  });

  test.each(['ousted', 'demoted'])('an %s owner does not come back by an invitation of before', async (how) => {
    const rival = await signInMember(how);
    const { person } = (await rival.get<Session>('/auth/session')).data;
    await owner.patch(`/manage/members/${person.id}`, { role: 'owner' });
    const kept = (await owner.post<Invitation>('/manage/invitations', { role: 'member' })).data;
    const links: string[] = [];
    for (const role of ['owner', 'member'])
      links.push((await rival.post<Invitation>('/manage/invitations', { role })).data.url);
    const demote = () => owner.patch(`/manage/members/${person.id}`, { role: 'member' });
    expect((await (how === 'demoted' ? demote() : owner.delete(`/manage/members/${person.id}`))).status).toBe(200);

    const visitor = createTestBrowser(service.url);
    for (const token of links.map(tokenOf)) {
      expect((await visitor.post('/auth/invitation', { token })).status).toBe(404);
      const somebody = { token, name: 'Back', email: `back-${how}@example.org`, password };
      expect((await visitor.post('/auth/join', somebody)).status).toBe(404);
      // A demoted one is still signed in.
      expect((await rival.post('/auth/join', { token })).status).not.toBe(200);
    }
    const open = (await owner.get<Invitation[]>('/manage/invitations')).data;
    expect(open.map(({ invited_by }) => invited_by)).not.toContain(person.name);
    expect(open.map(({ id }) => id)).toContain(kept.id);
    const roles = (await owner.get<Member[]>('/manage/members')).data.filter(({ id }) => id === person.id);
    expect(roles.map(({ role }) => role)).toEqual(how === 'demoted' ? ['member'] : []);
  });

  test('an invitation counts only as long as who made it owns the workspace', async () => {
    const { workspaceId, db } = service;
    const rival = await signInMember('catalog');
    const { person } = (await rival.get<Session>('/auth/session')).data;
    await owner.patch(`/manage/members/${person.id}`, { role: 'owner' });
    const { url } = (await rival.post<Invitation>('/manage/invitations', { role: 'owner' })).data;
    // As a catalog of an earlier version may hold it: demoted, and the invitation is there.
    await db
      .updateTable('memberships')
      .set({ role: 'member' })
      .where('workspace_id', '=', workspaceId)
      .where('person_id', '=', person.id)
      .execute();
    expect((await rival.post('/auth/join', { token: tokenOf(url) })).status).toBe(404);
  });

  test('who is removed loses the keys and webhooks that they made, where the owner says so', async () => {
    const { id: workspaceId } = await service.addWorkspace('Makers');
    const first = await service.signIn(workspaceId);
    const browser = createTestBrowser(service.url);
    const invite = (await first.post<Invitation>('/manage/invitations', { role: 'owner' })).data;
    const maker = { token: tokenOf(invite.url), name: 'Maker', email: 'maker@example.org', password };
    const { person } = (await browser.post<Session>('/auth/join', maker)).data;
    const own = (await first.get<Key[]>('/manage/api-keys')).data[0];
    const made = (await browser.post<Secret>('/manage/api-keys', { name: 'Mine' })).data;
    // What they rotated they have seen, whoever made the one before.
    const rotated = (await browser.post<Secret>(`/manage/api-keys/${own?.id}/rotate`, {})).data;
    const hook = { url: 'https://1.1.1.1/a', types: ['media.completed'] };
    const webhook = (await browser.post<{ id: string; created_by: string }>('/manage/webhooks', hook)).data;
    expect(webhook.created_by).toBe('Maker');
    const listed = (await first.get<(Key & { created_by: string | null })[]>('/manage/api-keys')).data;
    expect(listed.map(({ id, created_by }) => [id, created_by])).toEqual([
      [rotated.id, 'Maker'],
      [made.id, 'Maker'],
      [own?.id, null],
    ]);
    const counts = (await first.get<Listed[]>('/manage/members')).data.find(({ id }) => id === person.id);
    expect(counts).toMatchObject({ api_keys: 2, webhooks: 1 });

    const { data } = await first.delete<unknown>(`/manage/members/${person.id}?revoke=1`);
    expect(data).toEqual({ id: person.id, deleted: true, revoked: { api_keys: 2, webhooks: 1 } });
    for (const { key } of [made, rotated]) expect(await works(key)).toBe(false);
    const hooks = (await first.get<{ id: string; enabled: boolean }[]>('/manage/webhooks')).data;
    expect(hooks).toMatchObject([{ id: webhook.id, enabled: false }]);
    // Nobody else is shut out: there was no other key.
    expect(await works((await first.get<Session>('/auth/session')).data.workspace.api_key ?? '')).toBe(true);
  });

  test('a webhook is of who gave it its URL, and the same URL again makes it nobody else’s', async () => {
    const { id: workspaceId } = await service.addWorkspace('Webhooks');
    const first = await service.signIn(workspaceId);
    const { person, cookie } = await addMember({ db: service.db, workspaceId }, 'redirects@example.org');
    await first.patch(`/manage/members/${person}`, { role: 'owner' });
    const rival = createTestBrowser(service.url, cookie);
    const create = (path: string) =>
      first.post<{ id: string }>('/manage/webhooks', { url: `https://1.1.1.1/${path}`, types: ['media.completed'] });
    const [moved, same] = [(await create('a')).data.id, (await create('b')).data.id];
    await rival.patch(`/manage/webhooks/${same}`, { url: 'https://1.1.1.1/b', description: 'Same' });
    const answer = await rival.patch<{ created_by: string }>(`/manage/webhooks/${moved}`, { url: 'https://1.1.1.1/c' });
    expect(answer.data.created_by).toBe('Member');
    expect((await first.delete<unknown>(`/manage/members/${person}?revoke=1`)).data).toMatchObject({
      revoked: { webhooks: 1 },
    });
    const hooks = (await first.get<{ id: string; enabled: boolean }[]>('/manage/webhooks')).data;
    expect(new Map(hooks.map(({ id, enabled }) => [id, enabled]))).toEqual(
      new Map([
        [moved, false],
        [same, true],
      ]),
    );
  });

  test('who belongs to no workspace any more comes back by an invitation, with the password that they had', async () => {
    const invite = async () => (await owner.post<Invitation>('/manage/invitations', { role: 'member' })).data.url;
    const email = 'returns@example.org';
    const join = async (url: string, secret: string) =>
      createTestBrowser(service.url).post<Session>('/auth/join', {
        token: tokenOf(url),
        name: 'R',
        email,
        password: secret,
      });
    const { person } = (await join(await invite(), password)).data;
    const url = await invite();
    expect((await join(url, password)).error.code).toBe('already_exists');
    await owner.delete(`/manage/members/${person.id}`);
    expect((await join(url, 'another password')).error.code).toBe('already_exists');
    expect((await join(url, password)).data.person.id).toBe(person.id);
  });

  test('who is demoted while they invite is refused, and leaves no invitation', async () => {
    const { db, workspaceId } = service;
    const { person } = await addMember(service, 'late@example.org');
    expect(await createInvitation(db, workspaceId, person, 'owner')).toBeUndefined();
    const left = db.selectFrom('invitations').select('id').where('invited_by', '=', person);
    expect(await left.execute()).toEqual([]);
  });

  test('who is removed without that keeps what they made', async () => {
    const rival = await signInMember('keeper');
    const { person } = (await rival.get<Session>('/auth/session')).data;
    await owner.patch(`/manage/members/${person.id}`, { role: 'owner' });
    const { key } = (await rival.post<Secret>('/manage/api-keys')).data;
    await owner.patch(`/manage/members/${person.id}`, { role: 'member' });
    expect((await rival.delete(`/manage/members/${person.id}?revoke=1`)).error.code).toBe('forbidden');
    expect((await owner.delete(`/manage/members/${person.id}`)).status).toBe(200);
    expect(await works(key)).toBe(true);
  });

  test('are signed out at once when removed; members may leave, but cannot remove others', async () => {
    const leaver = await signInMember('leaver');
    const removed = await signInMember('removed');
    const { person } = (await removed.get<Session>('/auth/session')).data;
    expect((await leaver.delete(`/manage/members/${person.id}`)).error.code).toBe('forbidden');
    expect((await owner.delete(`/manage/members/${person.id}`)).status).toBe(200);
    expect((await removed.get<Session | null>('/auth/session')).data).toBeNull();
    expect((await removed.get('/manage/members')).error.code).toBe('not_signed_in');
    const self = (await leaver.get<Session>('/auth/session')).data.person;
    expect((await leaver.delete(`/manage/members/${self.id}`)).status).toBe(200);
    expect((await leaver.get<Session | null>('/auth/session')).data).toBeNull();
  });
});

test('the workspace is renamed by its owners', async () => {
  expect((await owner.patch<Session>('/manage/workspace', { name: ' Newsroom ' })).data.workspace.name).toBe(
    'Newsroom',
  );
  expect((await service.client.get<{ name: string }>('/workspace')).data.name).toBe('Newsroom');
  await owner.patch('/manage/workspace', { name: 'My workspace' });
});

test('what holds signed URLs, links or tokens is kept by no cache, or asked for again each time', async () => {
  for (const path of ['/media', '/media/search?q=red', '/workspace', '/shares', '/nothing']) {
    const { headers } = await service.client.get(path);
    expect([path, headers.get('Cache-Control')]).toEqual([path, expect.stringMatching(/no-(?:store|cache)/)]);
  }
});
