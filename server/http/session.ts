import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Catalog } from '../catalog/schema.ts';
import { findMember, type Member, sessionLifetime, signIn, signOut } from '../catalog/sessions.ts';
import { revealApiKey } from '../catalog/workspaces.ts';
import type { Secrets } from '../secrets.ts';
import { ApiError } from './api-error.ts';
import { read } from './operation-routes.ts';

const cookieName = 'media_search_session';
const signInBody = z.object({ token: z.string().min(1).max(200) });

/** Signs people in and out of the dashboard: `/auth/session`, `/auth/sign-in`, `/auth/sign-out`. */
export function serveSession(app: FastifyInstance, { db, secrets }: { db: Catalog; secrets: Secrets }): void {
  app.addHook('onRequest', async (request) => {
    if (request.method !== 'GET') refuseOtherOrigins(request);
  });

  app.get('/auth/session', async (request) => {
    const session = request.cookies[cookieName];
    const member = session ? await findMember(db, session) : undefined;
    // Nobody is a normal answer: the dashboard asks before it knows.
    return { success: true, data: member ? await describe(member) : null };
  });

  app.post('/auth/sign-in', async (request, reply) => {
    const { token } = read(signInBody, request.body, 'body');
    const session = await signIn(db, token);
    const member = session && (await findMember(db, session));
    if (!member) throw new ApiError('invalid_api_key', 'This sign-in link was used already or has expired.');
    void reply.setCookie(cookieName, session, {
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: request.protocol === 'https',
      maxAge: sessionLifetime / 1000,
    });
    return { success: true, data: await describe(member) };
  });

  app.post('/auth/sign-out', async (request, reply) => {
    const session = request.cookies[cookieName];
    if (session) await signOut(db, session);
    void reply.clearCookie(cookieName, { path: '/' });
    return { success: true, data: { signed_out: true } };
  });

  /** The member with the workspace's key, which the dashboard keeps in memory only. */
  async function describe({ person, workspace }: Member) {
    const api_key = (await revealApiKey(db, secrets, workspace.id)) ?? null;
    return { person, workspace: { ...workspace, api_key } };
  }
}

/** Browsers name the page that sends a request; only our own may change a session. */
function refuseOtherOrigins(request: FastifyRequest): void {
  const { origin } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== request.host) {
    throw new ApiError('forbidden', 'Requests from other sites are refused here.');
  }
}
