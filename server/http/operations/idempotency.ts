import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../../contract/operation.ts';
import { ApiError, validationError } from '../../api-error.ts';
import { findStoredResponse, storeResponse, type StoredResponse } from '../../catalog/idempotency.ts';
import type { Catalog } from '../../catalog/schema.ts';

/** What a handler does with a request that may carry an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). */
export type IdempotentRequest = {
  /**
   * Call it when the request's content is known.
   * @returns the answer that the first request with this key got, when it had the same content. Throws
   * `idempotency_key_reused` when it had not.
   */
  findStoredResponse(content: unknown): StoredResponse | undefined;
  /** Keeps the answer, within the transaction that creates what it tells of. */
  storeResponse(transaction: Catalog, response: StoredResponse): Promise<void>;
};

/**
 * Keys whose first request is under way. Only in memory: whatever ends a request, a crash or a full disk too, sets its key free.
 * One service has a data folder, so no other process can have such requests.
 */
const keysInFlight = new Set<string>();

/** Runs a handler that creates something. Without the header it simply runs. */
export async function withIdempotencyKey<Result>(
  db: Catalog,
  operation: Operation,
  request: FastifyRequest,
  run: (idempotent: IdempotentRequest) => Promise<Result>,
): Promise<Result> {
  const { workspaceId } = request;
  const key = readKey(request);
  if (key === undefined) return run({ findStoredResponse: () => undefined, storeResponse: async () => undefined });
  const claim = `${workspaceId} ${key}`;
  if (keysInFlight.has(claim)) {
    throw new ApiError('idempotency_conflict', 'The first request with this Idempotency-Key is still under way.');
  }
  keysInFlight.add(claim);
  try {
    const name = `${operation.method} ${operation.path}`;
    const kept = await findStoredResponse(db, workspaceId, key);
    let fingerprint = '';
    return await run({
      findStoredResponse(content) {
        fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
        if (!kept) return undefined;
        if (kept.operation === name && kept.fingerprint === fingerprint) return kept.response;
        throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another request.');
      },
      storeResponse: (transaction, response) =>
        storeResponse(transaction, workspaceId, { key, operation: name, fingerprint }, response),
    });
  } finally {
    keysInFlight.delete(claim);
  }
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
