import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { session } from '../../../contract/accounts.ts';
import type { Operation } from '../../../contract/operation.ts';
import { ApiError } from '../../api-error.ts';
import { revealApiKey } from '../../catalog/api-keys.ts';
import { listWorkspacesOf } from '../../catalog/people.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { findMember, type Member, sessionLifetimeMs } from '../../catalog/sessions.ts';
import type { Secrets } from '../../crypto/secrets.ts';
import {
  type OperationInput,
  type OperationOptions,
  type OperationResult,
  serveOperation,
} from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/base-url.ts';

export const sessionCookie = 'media_search_session';

export type DashboardRouteDependencies = { db: Catalog; secrets: Secrets; publicUrl: string | null };

export type Session = z.output<typeof session>;

/** A person who is signed in, in the workspace that they look at. `token` is the session's. */
export type SignedInMember = Member & { token: string };

/** Refuses requests that another site makes in a visitor's name. The cookie's `SameSite=Strict` keeps them out as well. */
export function rejectCrossSiteRequests(app: FastifyInstance, publicUrl: string | null): void {
  const publicHost = publicUrl === null ? undefined : new URL(publicUrl).host;
  app.addHook('onRequest', async ({ headers, host, method }) => {
    const foreign = headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
    const { origin } = headers;
    const originHost = origin === undefined ? undefined : (URL.parse(origin)?.host ?? 'unknown');
    const own = originHost === undefined || originHost === host || originHost === publicHost;
    const otherOrigin = method !== 'GET' && !own;
    if (foreign || otherOrigin) throw new ApiError('forbidden', 'Requests from other sites are refused here.');
  });
}

/** Who sends this request, or undefined when nobody is signed in. */
export async function findSignedInMember(db: Catalog, request: FastifyRequest): Promise<SignedInMember | undefined> {
  const token = request.cookies[sessionCookie];
  const member = token === undefined ? undefined : await findMember(db, token);
  return member && token !== undefined ? { ...member, token } : undefined;
}

/** Serves an operation of the dashboard to whom it is for: members or owners of the workspace they are signed in to. */
export function serveMemberOperation<const Op extends Operation>(
  app: FastifyInstance,
  db: Catalog,
  operation: Op,
  handle: (input: OperationInput<Op> & { member: SignedInMember }) => Promise<OperationResult<Op>>,
  options: Pick<OperationOptions<Op>, 'timeoutSeconds' | 'kind'> = {},
): void {
  const members = new WeakMap<FastifyRequest, SignedInMember>();
  serveOperation(
    app,
    operation,
    (input) => handle({ ...input, member: members.get(input.request) as SignedInMember }),
    {
      ...options,
      onRequest: async (request) => {
        const member = await findSignedInMember(db, request);
        if (!member) throw new ApiError('not_signed_in', 'Sign in first.');
        if (operation.access === 'owner' && member.workspace.role !== 'owner') {
          throw new ApiError('forbidden', 'Only owners of the workspace can do this.');
        }
        request.workspaceId = member.workspace.id;
        members.set(request, member);
      },
    },
  );
}

/** The session as the dashboard gets it, with the workspace's key, which it keeps in memory only. */
export async function describeSession(
  { db, secrets }: DashboardRouteDependencies,
  { person, workspace }: Member,
): Promise<Session> {
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
export async function describeSessionByToken(parts: DashboardRouteDependencies, token: string): Promise<Session> {
  const member = await findMember(parts.db, token);
  if (!member) throw new ApiError('not_signed_in', 'Sign in first.');
  return describeSession(parts, member);
}

/** Gives the browser its session, out of reach of scripts and of other sites. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  publicUrl: string | null,
): void {
  void reply.setCookie(sessionCookie, token, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: getBaseUrl(request, publicUrl).startsWith('https:'),
    maxAge: sessionLifetimeMs / 1000,
  });
}
