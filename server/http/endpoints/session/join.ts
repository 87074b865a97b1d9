import type { FastifyInstance, FastifyRequest } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { acceptInvitation, findInvitation } from '../../../catalog/accounts/invitations.ts';
import { findFormerMember } from '../../../catalog/accounts/people.ts';
import { ApiError, validationError } from '../../../errors/api-error.ts';
import { noteDevice } from '../../auth/known-device.ts';
import { findSignedInMember, setSessionCookie } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { describeSessionByToken } from './describe-session.ts';
import { passwordsWithoutSlot } from './passwords-without-slot.ts';
import { invitationNotFoundError } from './read-invitation.ts';

/** `POST /auth/join`: accepts an invitation, as the signed-in person, as a new one, or as one who was removed from all workspaces. */
export function serveJoin(app: FastifyInstance, dependencies: Dependencies): void {
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
