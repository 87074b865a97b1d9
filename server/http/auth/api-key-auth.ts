import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiKeyPrefix, findApiKey, isActiveKey } from '../../catalog/accounts/api-keys.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Which of the workspace's keys the request carries; empty outside the API. */
    apiKeyId: string;
  }
}

/** Lets only requests with a working API key into this scope and stores their workspace on the request. */
export function requireApiKey(app: FastifyInstance, { db, keyUses }: Pick<Dependencies, 'db' | 'keyUses'>): void {
  app.decorate('admits', ['key']);
  app.decorateRequest('apiKeyId', '');
  app.addHook('onRequest', async (request) => {
    const key = await authenticate(db, request);
    keyUses.note(key);
    request.workspaceId = key.workspace_id;
    request.apiKeyId = key.id;
    request.traffic = key;
    request.checkAccess = async () => {
      if (!(await isActiveKey(db, key.workspace_id, key.id))) throw revokedKeyError();
    };
  });
}

const bearer = { 'WWW-Authenticate': 'Bearer' };

export const revokedKeyError = (): ApiError =>
  new ApiError('invalid_api_key', 'This API key is unknown or was revoked.', { headers: bearer });

async function authenticate(
  db: Catalog,
  request: FastifyRequest,
): Promise<NonNullable<Awaited<ReturnType<typeof findApiKey>>>> {
  const header = request.headers.authorization;
  if (!header) {
    throw new ApiError('missing_api_key', 'Send your API key in the header `Authorization: Bearer service_…`.', {
      headers: bearer,
    });
  }
  const secret = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  const key = secret?.startsWith(apiKeyPrefix) ? await findApiKey(db, secret) : undefined;
  if (!key) throw revokedKeyError();
  return key;
}
