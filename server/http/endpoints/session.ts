import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { ApiError, notFoundError, validationError } from '../../api-error.ts';
import { acceptInvitation, findInvitation } from '../../catalog/invitations.ts';
import { findAccount, setPasswordHash, updatePerson } from '../../catalog/people.ts';
import { createSession, signInByLink, signOut, signOutElsewhere, switchWorkspace } from '../../catalog/sessions.ts';
import { hashPassword, verifyPassword } from '../../crypto/passwords.ts';
import {
  type DashboardRouteDependencies,
  describeSession,
  describeSessionByToken,
  findSignedInMember,
  serveMemberOperation,
  sessionCookie,
  setSessionCookie,
} from '../auth/session-auth.ts';
import { createSignInLimiter } from '../limits/sign-in-limit.ts';
import { serveOperation } from '../operations/serve-operation.ts';

const invalidCredentialsError = () => new ApiError('invalid_credentials', 'E-mail address or password is wrong.');
const emailTakenError = () => new ApiError('already_exists', 'Somebody signs in with this e-mail address already.');

/** Signing in and out, and what people change about themselves: `/auth/…`. */
export function serveSession(app: FastifyInstance, parts: DashboardRouteDependencies): void {
  const { db } = parts;
  const passwords = createSignInLimiter();
  // Apart from passwords: somebody who tries links must not keep others at the same address from signing in.
  const links = createSignInLimiter();

  serveOperation(app, dashboardOperations.getSession, async ({ request }) => {
    const member = await findSignedInMember(db, request);
    // Nobody is a normal answer: the dashboard asks before it knows.
    return { data: member ? await describeSession(parts, member) : null };
  });

  serveOperation(app, dashboardOperations.signIn, async ({ body, request, reply }) => {
    let token: string | undefined;
    if ('token' in body) {
      token = await links.guard(request.ip, undefined, () => signInByLink(db, body.token));
      if (!token) throw new ApiError('invalid_credentials', 'This sign-in link was used already or has expired.');
    } else {
      token = await passwords.guard(request.ip, body.email, async () => {
        const account = await findAccount(db, body.email);
        const right = await verifyPassword(body.password, account?.password_hash ?? null);
        return account && right ? createSession(db, account.id, account.workspace_id) : undefined;
      });
      if (!token) throw invalidCredentialsError();
    }
    setSessionCookie(request, reply, token, parts.publicUrl);
    return { data: await describeSessionByToken(parts, token) };
  });

  serveOperation(app, dashboardOperations.signOut, async ({ request, reply }) => {
    const token = request.cookies[sessionCookie];
    if (token !== undefined) await signOut(db, token);
    void reply.clearCookie(sessionCookie, { path: '/' });
    return { data: { signed_out: true as const } };
  });

  serveOperation(app, dashboardOperations.readInvitation, async ({ body, request }) => {
    const invitation = await links.guard(request.ip, undefined, () => findInvitation(db, body.token));
    if (!invitation) throw invitationNotFoundError();
    const { workspace_name, role, invited_by, expires_at } = invitation;
    return { data: { workspace: { name: workspace_name }, role, invited_by, expires_at } };
  });

  serveOperation(app, dashboardOperations.join, async ({ body, request, reply }) => {
    if (!(await links.guard(request.ip, undefined, () => findInvitation(db, body.token))))
      throw invitationNotFoundError();
    const member = await findSignedInMember(db, request);
    const newcomer = member ? undefined : parseNewAccount(body);
    let taken = false;
    // Whoever has an invitation may not try which addresses are known here, or have passwords hashed, without end.
    const joined = await links.guard(request.ip, newcomer?.email, async () => {
      const who = newcomer
        ? { name: newcomer.name, email: newcomer.email, password_hash: await hashPassword(newcomer.password) }
        : { personId: member?.person.id ?? '' };
      const outcome = await acceptInvitation(db, body.token, who);
      taken = outcome === 'address taken';
      return outcome === 'address taken' || outcome === 'no invitation' ? undefined : outcome;
    });
    if (!joined && !taken) throw invitationNotFoundError();
    if (!joined) {
      throw new ApiError(
        'already_exists',
        'Somebody signs in with this e-mail address already. If that is you, sign in and open the link again.',
      );
    }
    setSessionCookie(request, reply, joined.session, parts.publicUrl);
    return { data: await describeSessionByToken(parts, joined.session) };
  });

  serveMemberOperation(app, db, dashboardOperations.switchWorkspace, async ({ body, member }) => {
    if (!(await switchWorkspace(db, member.token, member.person.id, body.workspace_id)))
      throw notFoundError('workspace');
    return { data: await describeSessionByToken(parts, member.token) };
  });

  serveMemberOperation(app, db, dashboardOperations.updateProfile, async ({ body, member }) => {
    if (!(await updatePerson(db, member.person.id, body))) throw emailTakenError();
    return { data: await describeSessionByToken(parts, member.token) };
  });

  serveMemberOperation(app, db, dashboardOperations.changePassword, async ({ body, member, request }) => {
    const { id, password_hash } = member.person;
    if (password_hash !== null) {
      const right = await passwords.guard(request.ip, id, async () =>
        (await verifyPassword(body.current_password ?? '', password_hash)) ? true : undefined,
      );
      if (!right) throw new ApiError('forbidden', 'The current password is wrong.');
    }
    await setPasswordHash(db, id, await hashPassword(body.new_password));
    await signOutElsewhere(db, id, member.token);
    return { data: await describeSessionByToken(parts, member.token) };
  });
}

const invitationNotFoundError = () =>
  new ApiError('not_found', 'This invitation was used already, withdrawn, or has expired.');

/** What somebody new has to give to join. Throws `validation_error` when a part is missing. */
function parseNewAccount(body: {
  name?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
}) {
  const { name, email, password } = body;
  if (name !== undefined && email !== undefined && password !== undefined) {
    return { name, email, password };
  }
  const missing = (['name', 'email', 'password'] as const).filter((key) => body[key] === undefined);
  throw validationError(
    missing.map((key) => ({ path: `body.${key}`, message: 'is required to join as somebody new' })),
  );
}
