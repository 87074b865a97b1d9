import type { FastifyInstance, FastifyRequest } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { findAccount } from '../../../catalog/accounts/people.ts';
import { createSession, signInByLink } from '../../../catalog/accounts/sessions.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { findKnownDevice, noteDevice } from '../../auth/known-device.ts';
import { setSessionCookie } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { describeSessionByToken } from './describe-session.ts';
import { passwordsWithoutSlot } from './passwords-without-slot.ts';

/** `POST /auth/sign-in`: with a one-time link, or with e-mail address and password. */
export function serveSignIn(app: FastifyInstance, dependencies: Dependencies): void {
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
