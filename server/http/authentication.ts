import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Catalog } from '../catalog/schema.ts';
import { apiKeyPrefix, findWorkspaceIdByKey } from '../catalog/workspaces.ts';
import { ApiError } from './api-error.ts';

/** Lets only requests with a working API key into this scope and notes their workspace on the request. */
export function requireApiKey(app: FastifyInstance, db: Catalog): void {
  app.addHook('onRequest', async (request) => {
    request.workspaceId = await authenticate(db, request);
  });
}

async function authenticate(db: Catalog, request: FastifyRequest): Promise<string> {
  const header = request.headers.authorization;
  const headers = { 'WWW-Authenticate': 'Bearer' };
  if (!header) {
    throw new ApiError('missing_api_key', 'Send your API key in the header `Authorization: Bearer service_…`.', {
      headers,
    });
  }
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  const workspaceId = key?.startsWith(apiKeyPrefix) ? await findWorkspaceIdByKey(db, key) : undefined;
  if (!workspaceId) {
    throw new ApiError('invalid_api_key', 'This API key is unknown or was revoked.', { headers });
  }
  return workspaceId;
}
