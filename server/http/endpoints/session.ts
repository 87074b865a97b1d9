import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { session } from '../../../contract/accounts.ts';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { revealApiKey } from '../../catalog/accounts/api-keys.ts';
import { acceptInvitation, findInvitation } from '../../catalog/accounts/invitations.ts';
import {
  findAccount,
  findFormerMember,
  listWorkspacesOf,
  setPasswordHash,
  updatePerson,
} from '../../catalog/accounts/people.ts';
import {
  createSession,
  findMember,
  type Member,
  signInByLink,
  signOut,
  signOutEverywhere,
  switchWorkspace,
} from '../../catalog/accounts/sessions.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import { hashPassword, verifyPassword } from '../../platform/crypto/passwords.ts';
import {
  findKnownDevice,
  findSignedInMember,
  noteDevice,
  serveMemberOperation,
  sessionCookie,
  setSessionCookie,
  type SignedInMember,
} from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { withoutSlot } from '../limits/concurrency-limit.ts';
import { type OperationInput, serveOperation } from '../operations/serve-operation.ts';
import { networkOf } from '../protocol/requests.ts';

/**
 * Hashes and verifies passwords in the turn of the client's network. The request has no slot meanwhile, so that other requests of the
 * network need not wait.
 */
function passwordsWithoutSlot({ request, signal }: Pick<OperationInput<never>, 'request' | 'signal'>) {
  const asker = { network: networkOf(request.ip), signal };
  return {
    hash: (password: string) => withoutSlot(request, () => hashPassword(password, asker)),
    verify: (password: string, stored: string | null) =>
      withoutSlot(request, () => verifyPassword(password, stored, asker)),
  };
}

type MemberRequest = Pick<OperationInput<never>, 'request' | 'signal'> & { member: SignedInMember };

/**
 * Checks the password of the signed-in person, where there is one: an open browser must not be enough to take the account over. Wrong passwords
 * count as those of sign-ins do. Throws `forbidden` and `throttled`.
 */
async function checkCurrentPassword(
  { signInLimits }: Dependencies,
  { request, signal, member }: MemberRequest,
  password = '',
): Promise<void> {
  const { id, password_hash } = member.person;
  if (password_hash === null) return;
  const passwords = passwordsWithoutSlot({ request, signal });
  const isCorrect = await signInLimits.passwords.guard({ ip: request.ip, account: id }, async () =>
    (await passwords.verify(password, password_hash)) ? true : undefined,
  );
  if (!isCorrect) throw new ApiError('forbidden', 'The current password is wrong.');
}

export type Session = z.output<typeof session>;

/** The session for the dashboard, with the workspace's key, which the dashboard holds in memory only. */
async function describeSession({ db, secrets }: Dependencies, { person, workspace }: Member): Promise<Session> {
  return {
    person: {
      id: person.id,
      name: person.name,
      email: person.email,
      has_password: person.password_hash !== null,
    },
    workspace: { ...workspace, api_key: (await revealApiKey(db, secrets, workspace.id)) ?? null },
    workspaces: await listWorkspacesOf(db, person.id),
  };
}

/** Describes a session again after something about it changed. */
export async function describeSessionByToken(dependencies: Dependencies, token: string): Promise<Session> {
  const member = await findMember(dependencies.db, token);
  if (!member) throw new ApiError('not_signed_in', 'Sign in first.');
  return describeSession(dependencies, member);
}

/** `POST /auth/password`. */
function serveChangePassword(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.changePassword, async (input) => {
    const { body, member, workspaceId } = input;
    await checkCurrentPassword(dependencies, input, body.current_password);
    const hash = await passwordsWithoutSlot(input).hash(body.new_password);
    await setPasswordHash(db, { workspaceId, personId: member.person.id }, hash, member.token);
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}

/** `GET /auth/session`. */
function serveGetSession(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(app, dashboardOperations.getSession, async ({ request }) => {
    const member = await findSignedInMember(db, request);
    // Null is a normal response: the dashboard asks at each start.
    return { data: member ? await describeSession(dependencies, member) : null };
  });
}

/** The refusal of an invitation link that does not work. */
const invitationNotFoundError = (): ApiError =>
  new ApiError('not_found', 'This invitation was used already, withdrawn, or has expired.');

/** `POST /auth/join`: accepts an invitation, as the signed-in person, as a new one, or as one who was removed from all workspaces. */
function serveJoin(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, publicUrl, signInLimits } = dependencies;
  serveOperation(app, dashboardOperations.join, async ({ body, request, reply, signal }) => {
    const findIt = () => findInvitation(db, body.token);
    if (!(await signInLimits.links.look(request.ip, findIt))) throw invitationNotFoundError();
    const member = await findSignedInMember(db, request);
    const account = member ? { personId: member.person.id } : parseNewAccount(body);
    const token = await accept(dependencies, { request, signal }, body.token, account);
    setSessionCookie(request, reply, token, publicUrl);
    const session = await describeSessionByToken(dependencies, token);
    noteDevice(request, reply, session.person.id, dependencies);
    return { data: session };
  });
}

type NewAccount = { name: string; email: string; password: string };

/**
 * Accepts an invitation and returns the token of a new session. Failures of new persons are counted: an invitation would otherwise
 * be enough to try which e-mail addresses are known, or to have passwords hashed, without end.
 * Throws `not_found`, `already_exists` and `throttled`.
 */
async function accept(
  { db, signInLimits }: Dependencies,
  asked: { request: FastifyRequest; signal: AbortSignal },
  token: string,
  account: { personId: string } | NewAccount,
): Promise<string> {
  let isTaken = false;
  const { ip } = asked.request;
  const passwords = passwordsWithoutSlot(asked);
  const acceptAs = async (person: Parameters<typeof acceptInvitation>[2]) => {
    const outcome = await acceptInvitation(db, token, person);
    isTaken = outcome === 'address taken';
    return outcome === 'address taken' || outcome === 'no invitation' ? undefined : outcome;
  };
  const acceptAsNew = async ({ name, email, password }: NewAccount) => {
    const former = await findFormerMember(db, email);
    if (!former) return acceptAs({ name, email, password_hash: await passwords.hash(password) });
    isTaken = !(await passwords.verify(password, former.password_hash));
    return isTaken ? undefined : acceptAs({ personId: former.id });
  };
  const joined =
    'personId' in account
      ? await acceptAs(account)
      : await signInLimits.joins.guard({ ip, account: account.email }, () => acceptAsNew(account));
  if (joined) return joined.session;
  if (!isTaken) throw invitationNotFoundError();
  throw new ApiError(
    'already_exists',
    'Somebody has this e-mail address already. If that is you, sign in and open the link again; if you belong to no workspace any more, join with the password that you had.',
  );
}

/** The fields that a new person needs to join. Throws `validation_error` when a part is missing. */
function parseNewAccount(body: { [Field in keyof NewAccount]?: string | undefined }): NewAccount {
  const { name, email, password } = body;
  if (name !== undefined && email !== undefined && password !== undefined) return { name, email, password };
  const missing = (['name', 'email', 'password'] as const).filter((key) => body[key] === undefined);
  throw validationError(
    missing.map((key) => ({ path: `body.${key}`, message: 'is required to join as somebody new' })),
  );
}

/** `POST /auth/sign-in`: with a one-time link, or with e-mail address and password. */
function serveSignIn(app: FastifyInstance, dependencies: Dependencies): void {
  const { publicUrl } = dependencies;
  serveOperation(app, dashboardOperations.signIn, async ({ body, request, reply, signal }) => {
    const token =
      'token' in body
        ? await signInWithLink(dependencies, request, body.token)
        : await signInWithPassword(dependencies, { request, signal }, body);
    setSessionCookie(request, reply, token, publicUrl);
    const session = await describeSessionByToken(dependencies, token);
    noteDevice(request, reply, session.person.id, dependencies);
    return { data: session };
  });
}

/** Returns the token of a new session. Throws `invalid_credentials` and `throttled`. */
async function signInWithLink(
  { db, signInLimits }: Dependencies,
  { ip }: FastifyRequest,
  link: string,
): Promise<string> {
  const token = await signInLimits.links.look(ip, () => signInByLink(db, link));
  if (!token) throw new ApiError('invalid_credentials', 'This sign-in link was used already or has expired.');
  return token;
}

/** Returns the token of a new session. Throws `invalid_credentials` and `throttled`. */
async function signInWithPassword(
  { db, secrets, signInLimits }: Dependencies,
  asked: { request: FastifyRequest; signal: AbortSignal },
  { email, password }: { email: string; password: string },
): Promise<string> {
  const account = await findAccount(db, email);
  const device = account && findKnownDevice(asked.request, account.id, secrets);
  const token = await signInLimits.passwords.guard({ ip: asked.request.ip, account: email, device }, async () => {
    const isCorrect = await passwordsWithoutSlot(asked).verify(password, account?.password_hash ?? null);
    return account && isCorrect ? createSession(db, account.id, account.workspace_id) : undefined;
  });
  if (!token) throw new ApiError('invalid_credentials', 'E-mail address or password is wrong.');
  return token;
}

/** `POST /auth/workspace`. */
function serveSwitchWorkspace(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.switchWorkspace, async ({ body, member }) => {
    const { token, person } = member;
    if (!(await switchWorkspace(db, token, person.id, body.workspace_id))) throw notFoundError('workspace');
    return { data: await describeSessionByToken(dependencies, token) };
  });
}

/** `PATCH /auth/profile`. */
function serveUpdateProfile(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.updateProfile, async (input) => {
    const { body, member, workspaceId } = input;
    const { current_password, ...changes } = body;
    const { id: personId, email } = member.person;
    if (changes.email !== undefined && changes.email !== email) {
      await checkCurrentPassword(dependencies, input, current_password);
    }
    if (!(await updatePerson(db, { workspaceId, personId }, changes, member.token))) {
      throw new ApiError('already_exists', 'Somebody signs in with this e-mail address already.');
    }
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}

/** The operations on the session of a person: sign in, join, profile, sign out. */
export function serveSession(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, signInLimits } = dependencies;
  serveChangePassword(app, dependencies);
  serveGetSession(app, dependencies);

  serveOperation(app, dashboardOperations.readInvitation, async ({ body, request }) => {
    const invitation = await signInLimits.links.look(request.ip, () => findInvitation(db, body.token));
    if (!invitation) throw invitationNotFoundError();
    const { workspace_name, role, invited_by, expires_at } = invitation;
    return { data: { workspace: { name: workspace_name }, role, invited_by, expires_at } };
  });

  serveJoin(app, dependencies);
  serveSignIn(app, dependencies);

  serveMemberOperation(app, db, dashboardOperations.signOutEverywhere, async ({ member, reply }) => {
    await signOutEverywhere(db, member.person.id);
    void reply.clearCookie(sessionCookie, { path: '/' });
    return { data: { signed_out: true as const } };
  });

  serveOperation(app, dashboardOperations.signOut, async ({ request, reply }) => {
    const token = request.cookies[sessionCookie];
    if (token !== undefined) await signOut(db, token);
    void reply.clearCookie(sessionCookie, { path: '/' });
    return { data: { signed_out: true as const } };
  });

  serveSwitchWorkspace(app, dependencies);
  serveUpdateProfile(app, dependencies);
}
