import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import type { Operation } from '../../../contract/operation.ts';
import {
  deleteStoredResponse,
  findStoredResponse,
  storeResponse,
  type StoredResponse,
} from '../../catalog/accounts/idempotency.ts';
import type { RequestClaim, RequestClaims } from '../../catalog/accounts/request-claims.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { inWorkspace } from '../../catalog/transactions.ts';
import { ApiError, validationError } from '../../errors/api-error.ts';

/** What a handler does with a request that may carry an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). */
export type IdempotentRequest = {
  /**
   * The response to the first request with this key. Call it when the content of the request is known.
   * Throws `idempotency_key_reused` when the first request had another content.
   */
  findStoredResponse(content: unknown): StoredResponse | undefined;
  /** Deletes the response to the first request, where what it made is gone: the request is done as if it were the first. */
  forgetStoredResponse(): Promise<void>;
  /**
   * Stores the response, in the transaction that creates what it describes. Throws `idempotency_conflict` when this process was taken for dead
   * and another request with the key may be under way.
   */
  storeResponse(transaction: Catalog, response: StoredResponse): Promise<void>;
};

/** Claims a key for the time of its first request. Throws `idempotency_conflict` when a request with it is under way. */
async function claimKey(claims: RequestClaims, workspaceId: string, key: string): Promise<RequestClaim> {
  const claim = await claims.claim(workspaceId, key);
  if (!claim) throw conflictError();
  return claim;
}

const conflictError = (): ApiError =>
  new ApiError('idempotency_conflict', 'The first request with this Idempotency-Key is still under way.');

/**
 * Runs a handler that creates something, at most once for each key; without the header it simply runs. Throws `validation_error` for a
 * key that is not well-formed.
 */
export async function withIdempotencyKey<Result>(
  { db, requestClaims }: { db: Catalog; requestClaims: RequestClaims },
  operation: Operation,
  request: FastifyRequest,
  run: (idempotent: IdempotentRequest) => Promise<Result>,
): Promise<Result> {
  const { workspaceId } = request;
  const key = readKey(request);
  if (key === undefined) {
    const nothing = async () => undefined;
    return run({ findStoredResponse: () => undefined, forgetStoredResponse: nothing, storeResponse: nothing });
  }
  await using claim = await claimKey(requestClaims, workspaceId, key);
  const name = `${operation.method} ${operation.path}`;
  const stored = await findStoredResponse(db, workspaceId, key);
  let fingerprint = '';
  return await run({
    findStoredResponse(content) {
      fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
      if (!stored) return undefined;
      if (stored.operation === name && stored.fingerprint === fingerprint) return stored.response;
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another request.');
    },
    forgetStoredResponse: () => deleteStoredResponse(db, workspaceId, key),
    async storeResponse(transaction, response) {
      if (!(await claim.confirm(transaction))) throw conflictError();
      await storeResponse(transaction, workspaceId, { key, operation: name, fingerprint }, response);
    },
  });
}

/**
 * Creates something, at most once for each key: with the response to its request, in one transaction. A repeated request gets that response.
 * @param create throws what the request is refused for
 */
export function createOnce<Data extends { id: string }>(
  dependencies: { db: Catalog; requestClaims: RequestClaims },
  operation: Operation,
  { request, reply, body }: { request: FastifyRequest; reply: FastifyReply; body: unknown },
  create: (transaction: Catalog) => Promise<Data>,
): Promise<{ data: Data; status?: number }> {
  return withIdempotencyKey(dependencies, operation, request, async (idempotent) => {
    const earlier = idempotent.findStoredResponse(body);
    if (earlier) return replay<{ data: Data; status?: number }>(reply, { ...earlier, body: { data: earlier.body } });
    return inWorkspace(dependencies.db, request.workspaceId, async (transaction) => {
      const data = await create(transaction);
      const headers = { Location: `${basePath}${operation.path}/${data.id}` };
      await idempotent.storeResponse(transaction, { status: 201, headers, body: data });
      void reply.headers(headers);
      return { data };
    });
  });
}

/** The result of an operation as a stored response has it; sets its headers. */
export function replay<Result extends { data: unknown; status?: number }>(
  reply: FastifyReply,
  { status, headers, body }: StoredResponse,
): Result {
  void reply.headers({ ...headers, 'Idempotency-Replayed': 'true' });
  return { ...(body as Result), status };
}

function readKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x20-\x7E]{1,255}$/.test(key)) return key;
  throw validationError([{ path: 'header.Idempotency-Key', message: 'must have 1 to 255 visible characters' }]);
}
