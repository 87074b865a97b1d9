import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashToken, randomToken } from '../../platform/crypto/secrets.ts';
import { addMember } from '../../testing/add-member.ts';
import { cheapHash } from '../../testing/cheap-hash.ts';
import { createTestBrowser, startTestService, type TestBrowser } from '../../testing/running-service.ts';
import type { Session } from './session.ts';

type Invitation = { url: string };

const password = 'long enough to count';

let service: Awaited<ReturnType<typeof startTestService>>;
let owner: TestBrowser;

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  owner = await service.signIn();
});
afterAll(() => service[Symbol.asyncDispose]());

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';

/** Invites a person and joins as them. */
async function join(name: string, role: 'owner' | 'member'): Promise<TestBrowser> {
  const { data } = await owner.post<Invitation>('/manage/invitations', { role });
  const browser = createTestBrowser(service.url);
  const joined = await browser.post('/auth/join', {
    token: tokenOf(data.url),
    name,
    email: `${name}@Example.org`,
    password,
  });
  expect(joined.status).toBe(200);
  return browser;
}

/** An unused sign-in link of a member. The service makes them for first owners only, one at a time. */
async function linkOf(email: string): Promise<string> {
  const person = service.db.selectFrom('people').select('id').where('email', '=', email);
  const { id: person_id } = await person.executeTakeFirstOrThrow();
  const token = randomToken();
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const link = {
    token_hash: hashToken(token),
    workspace_id: service.workspaceId,
    person_id,
    expires_at,
    used_at: null,
  };
  await service.db.insertInto('sign_in_links').values(link).execute();
  return token;
}

describe('a person', () => {
  test('signs in with a password, changes it, and is then signed out everywhere else', async () => {
    const first = await join('walker', 'member');
    const second = createTestBrowser(service.url);
    const signIn = (browser: TestBrowser, secret: string) =>
      browser.post<Session>('/auth/sign-in', { email: 'WALKER@example.org', password: secret });
    expect((await signIn(second, password)).data.person.name).toBe('walker');
    const change = { current_password: password, new_password: 'another that is long' };
    expect((await second.post('/auth/password', { ...change, current_password: 'wrong' })).status).toBe(403);
    expect((await second.post('/auth/password', { new_password: 'another that is long' })).status).toBe(403);
    expect((await second.post('/auth/password', { ...change, new_password: 'short' })).status).toBe(400);
    expect((await second.post('/auth/password', change)).status).toBe(200);
    expect((await first.get<Session | null>('/auth/session')).data).toBeNull();
    expect((await second.get<Session | null>('/auth/session')).data).not.toBeNull();
    expect((await signIn(first, password)).status).toBe(401);
    expect((await signIn(first, change.new_password)).status).toBe(200);
    const stored = await service.db
      .selectFrom('people')
      .select('password_hash')
      .where('email', '=', 'walker@example.org')
      .executeTakeFirstOrThrow();
    expect(stored.password_hash).toMatch(/^\$scrypt\$/);
  });

  test('who joined by a link sets an e-mail address and a password', async () => {
    const { id } = await service.addWorkspace('Linked');
    const browser = await service.signIn(id);
    expect((await browser.get<Session>('/auth/session')).data.person).toMatchObject({
      email: null,
      has_password: false,
    });
    expect((await browser.patch<Session>('/auth/profile', { email: 'Linked@Example.org' })).data.person.email).toBe(
      'linked@example.org',
    );
    expect((await browser.patch('/auth/profile', { email: 'no address' })).status).toBe(400);
    await browser.post('/auth/password', { new_password: password });
    // The same address again is no change.
    expect((await browser.patch('/auth/profile', { name: 'L', email: 'linked@example.org' })).status).toBe(200);
    const entered = await createTestBrowser(service.url).post<Session>('/auth/sign-in', {
      email: 'linked@example.org',
      password,
    });
    expect(entered.data.workspace.name).toBe('Linked');
  });

  test('needs the password for another e-mail address, and is then signed out everywhere else', async () => {
    const first = await join('mover', 'member');
    const second = createTestBrowser(service.url);
    await second.post('/auth/sign-in', { email: 'mover@example.org', password });
    const link = await linkOf('mover@example.org');
    const change = { email: 'moved@example.org' };
    expect(await second.patch('/auth/profile', change)).toMatchObject({ status: 403, error: { code: 'forbidden' } });
    expect((await second.patch('/auth/profile', { ...change, current_password: 'wrong' })).status).toBe(403);
    expect((await second.patch('/auth/profile', { current_password: password })).status).toBe(400);
    expect((await second.patch('/auth/profile', { name: 'Mover' })).status).toBe(200);
    expect((await first.get<Session | null>('/auth/session')).data?.person.email).toBe('mover@example.org');
    const changed = await second.patch<Session>('/auth/profile', { ...change, current_password: password });
    expect(changed).toMatchObject({ status: 200, data: { person: { email: 'moved@example.org' } } });
    expect((await first.get<Session | null>('/auth/session')).data).toBeNull();
    expect((await second.get<Session | null>('/auth/session')).data).not.toBeNull();
    expect((await createTestBrowser(service.url).post('/auth/sign-in', { token: link })).status).toBe(401);
    // Wrong passwords count as those of sign-ins and of changed passwords do.
    const guess = { email: 'third@example.org', current_password: 'x' };
    for (let i = 0; i < 10; i++) expect((await second.patch('/auth/profile', guess)).status).toBe(403);
    expect((await second.patch('/auth/profile', { ...guess, current_password: password })).status).toBe(429);
    const other = { current_password: password, new_password: 'another that is long' };
    expect((await second.post('/auth/password', other)).status).toBe(429);
  });

  test('signs out everywhere: all sessions and unused links end, those of others do not', async () => {
    const first = await join('leaver-of-all', 'member');
    const second = createTestBrowser(service.url);
    await second.post('/auth/sign-in', { email: 'leaver-of-all@example.org', password });
    const [used, unused] = [await linkOf('leaver-of-all@example.org'), await linkOf('leaver-of-all@example.org')];
    const third = createTestBrowser(service.url);
    expect((await third.post('/auth/sign-in', { token: used })).status).toBe(200);
    const cookie = second.cookie();
    expect((await second.post('/auth/sign-out-everywhere')).data).toEqual({ signed_out: true });
    for (const browser of [first, second, third, createTestBrowser(service.url, cookie)]) {
      expect((await browser.get<Session | null>('/auth/session')).data).toBeNull();
    }
    expect((await createTestBrowser(service.url).post('/auth/sign-in', { token: unused })).status).toBe(401);
    expect((await createTestBrowser(service.url).post('/auth/sign-out-everywhere')).error.code).toBe('not_signed_in');
    expect((await owner.get<Session | null>('/auth/session')).data).not.toBeNull();
  });

  test('whose password changes has no unused sign-in link any more', async () => {
    const browser = await join('linked-before', 'member');
    const link = await linkOf('linked-before@example.org');
    await browser.post('/auth/password', { current_password: password, new_password: 'another that is long' });
    expect((await createTestBrowser(service.url).post('/auth/sign-in', { token: link })).status).toBe(401);
  });

  test('is protected from guessing: after ten failures the account is throttled, also for the right password', async () => {
    await addMember(service, 'target@example.org');
    await service.db
      .updateTable('people')
      .set({ password_hash: cheapHash(password) })
      .where('email', '=', 'target@example.org')
      .execute();
    const attempt = (secret: string) =>
      createTestBrowser(service.url).post('/auth/sign-in', { email: 'target@example.org', password: secret });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => attempt(`guess ${i}`)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const refused = await attempt(password);
    expect(refused).toMatchObject({ status: 429, error: { code: 'throttled' } });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(60);
    // Known and unknown e-mail addresses get the same response.
    const unknown = await createTestBrowser(service.url).post('/auth/sign-in', { email: 'x@example.org', password });
    expect(unknown.error).toEqual(answers.find(({ status }) => status === 401)?.error);
  });
});
