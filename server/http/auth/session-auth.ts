import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../../contract/operation.ts';
import { findMember, type Member, sessionLifetimeMs } from '../../catalog/accounts/sessions.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, validationError } from '../../errors/api-error.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import {
  type OperationInput,
  type OperationOptions,
  type OperationResult,
  serveOperation,
} from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';

export const sessionCookie = 'media_search_session';

/** A signed-in person and the current workspace of their session. `token` is the session's. */
export type SignedInMember = Member & { token: string };

/** The signed-in person who sends this request, or undefined. */
export async function findSignedInMember(db: Catalog, request: FastifyRequest): Promise<SignedInMember | undefined> {
  const token = request.cookies[sessionCookie];
  const member = token === undefined ? undefined : await findMember(db, token);
  return member && token !== undefined ? { ...member, token } : undefined;
}

/** The member signed in to a workspace in the browser that sends a request of the API; null without a session. */
async function findMemberSignedIn(
  db: Catalog,
  { headers }: FastifyRequest,
  workspaceId: string,
): Promise<Member | null> {
  const token = new RegExp(`(?:^|;)\\s*${sessionCookie}=([^;]+)`).exec(headers.cookie ?? '')?.[1];
  const member = token === undefined ? undefined : await findMember(db, token);
  return member?.workspace.id === workspaceId ? member : null;
}

/** The person of it. A person names the sender; the key alone decides what the request may do. */
export const findPersonSignedIn = async (
  db: Catalog,
  request: FastifyRequest,
  workspaceId: string,
): Promise<string | null> => (await findMemberSignedIn(db, request, workspaceId))?.person.id ?? null;

/** In the dashboard only owners do some things that every key may. Throws `forbidden`. */
export async function admitOwners(db: Catalog, request: FastifyRequest): Promise<void> {
  const member = await findMemberSignedIn(db, request, request.workspaceId);
  if (member && member.workspace.role !== 'owner') throw ownersOnlyError();
}

export const ownersOnlyError = (): ApiError => new ApiError('forbidden', 'Only owners of the workspace can do this.');

/** Serves an operation of the dashboard to those who may call it: members or owners of the workspace they are signed in to. */
export function serveMemberOperation<const Op extends Operation>(
  app: FastifyInstance,
  db: Catalog,
  operation: Op,
  handle: (input: OperationInput<Op> & { member: SignedInMember }) => Promise<OperationResult<Op>>,
  options: Pick<OperationOptions<Op>, 'timeoutSeconds' | 'kind'> = {},
): void {
  if (!app.admits?.includes('visitor')) throw new Error(`Pages of other sites could call ${operation.path}.`);
  const members = new WeakMap<FastifyRequest, SignedInMember>();
  serveOperation(
    app,
    operation,
    (input) => handle({ ...input, member: members.get(input.request) as SignedInMember }),
    {
      ...options,
      admits: ['member', 'owner'],
      async onRequest(request) {
        const admit = async () => {
          const member = await findSignedInMember(db, request);
          if (!member) throw new ApiError('not_signed_in', 'Sign in first.');
          if (operation.access === 'owner' && member.workspace.role !== 'owner') {
            throw ownersOnlyError();
          }
          request.workspaceId = member.workspace.id;
          request.traffic = member.traffic;
          members.set(request, member);
        };
        await admit();
        request.checkAccess = admit;
        refuseIdempotencyKey(operation, request);
      },
    },
  );
}

/**
 * Refuses an `Idempotency-Key` where something is created: what these operations answer with is often shown once, and kept nowhere in the
 * clear, so a repeated request could not get it again. Throws `validation_error`.
 */
function refuseIdempotencyKey({ status }: Operation, { headers }: FastifyRequest): void {
  if (status !== 201 || headers['idempotency-key'] === undefined) return;
  throw validationError([
    { path: 'header.Idempotency-Key', message: 'is not taken here; look at the list before you repeat this' },
  ]);
}

/** Sets the session cookie of the browser, inaccessible to scripts and other sites. */
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

/** Makes a scope of the dashboard: refuses requests that another site makes in a visitor's name. The cookie's `SameSite=Strict` keeps them out as well. */
export function rejectCrossSiteRequests(app: FastifyInstance, publicUrl: string | null): void {
  const publicHost = publicUrl === null ? undefined : new URL(publicUrl).host;
  app.decorate('admits', ['visitor']);
  app.addHook('onRequest', async ({ headers, host, method }) => {
    const foreign = headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
    const { origin } = headers;
    const originHost = origin === undefined ? undefined : (URL.parse(origin)?.host ?? 'unknown');
    const own = originHost === undefined || originHost === host || originHost === publicHost;
    const otherOrigin = method !== 'GET' && !own;
    if (foreign || otherOrigin) throw new ApiError('forbidden', 'Requests from other sites are refused here.');
  });
}

const deviceCookie = 'media_search_device';
const lifetimeSeconds = 365 * 24 * 60 * 60;

const signed = (person: string, device: string) => `known device\n${person}\n${device}`;

/**
 * Notes in the browser that a person has signed in with it (a device cookie, as OWASP names it). It opens nothing: failures of others, from this
 * network or any other, do not lock a known device out. It outlives the session.
 */
export function noteDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  personId: string,
  { secrets, publicUrl }: { secrets: Secrets; publicUrl: string | null },
): void {
  if (findKnownDevice(request, personId, secrets) !== undefined) return;
  const device = randomBytes(16).toString('base64url');
  void reply.setCookie(deviceCookie, `${device}.${secrets.sign(signed(personId, device))}`, {
    path: '/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: getBaseUrl(request, publicUrl).startsWith('https:'),
    maxAge: lifetimeSeconds,
  });
}

/** The device that a request comes from, where this person has signed in with it; undefined otherwise. */
export function findKnownDevice({ cookies }: FastifyRequest, personId: string, secrets: Secrets): string | undefined {
  const [device = '', signature = ''] = (cookies[deviceCookie] ?? '').split('.');
  return secrets.verify(signed(personId, device), signature) ? device : undefined;
}
