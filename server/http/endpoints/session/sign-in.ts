import type { FastifyInstance, FastifyRequest } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { ApiError } from '../../../api-error.ts';
import { findAccount } from '../../../catalog/people.ts';
import { createSession, signInByLink } from '../../../catalog/sessions.ts';
import { verifyPassword } from '../../../crypto/passwords.ts';
import { setSessionCookie } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { describeSessionByToken } from './describe-session.ts';

/** `POST /auth/sign-in`: with a one-time link, or with e-mail address and password. */
export function serveSignIn(app: FastifyInstance, dependencies: Dependencies): void {
  const { publicUrl } = dependencies;
  serveOperation(app, dashboardOperations.signIn, async ({ body, request, reply }) => {
    const token =
      'token' in body
        ? await signInWithLink(dependencies, request, body.token)
        : await signInWithPassword(dependencies, request, body);
    setSessionCookie(request, reply, token, publicUrl);
    return { data: await describeSessionByToken(dependencies, token) };
  });
}

/** Returns the token of a new session. Throws `invalid_credentials` and `throttled`. */
async function signInWithLink(
  { db, signInLimits }: Dependencies,
  { ip }: FastifyRequest,
  link: string,
): Promise<string> {
  const token = await signInLimits.links.guard(ip, undefined, () => signInByLink(db, link));
  if (!token) throw new ApiError('invalid_credentials', 'This sign-in link was used already or has expired.');
  return token;
}

/** Returns the token of a new session. Throws `invalid_credentials` and `throttled`. */
async function signInWithPassword(
  { db, signInLimits }: Dependencies,
  { ip }: FastifyRequest,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const token = await signInLimits.passwords.guard(ip, email, async () => {
    const account = await findAccount(db, email);
    const isCorrect = await verifyPassword(password, account?.password_hash ?? null);
    return account && isCorrect ? createSession(db, account.id, account.workspace_id) : undefined;
  });
  if (!token) throw new ApiError('invalid_credentials', 'E-mail address or password is wrong.');
  return token;
}
