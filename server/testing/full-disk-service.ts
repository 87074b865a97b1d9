import type { Server } from 'node:http';
import Fastify, { type FastifyHttpOptions } from 'fastify';
import { basePath } from '../../contract/base-path.ts';
import { operations } from '../../contract/operations.ts';
import { registerErrorHandling } from '../http/errors/error-handler.ts';
import { serveOperation } from '../http/operations/serve-operation.ts';
import { handleClientError } from '../http/protocol/requests.ts';
import { allOperations } from './send-operation.ts';

/** Every operation with a handler that runs into a full disk. */
export async function serveFullDisk(options: FastifyHttpOptions<Server>) {
  const app = Fastify({ clientErrorHandler: handleClientError, ...options });
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id));
  registerErrorHandling(app);
  app.decorate('admits', ['key', 'anyone', 'visitor', 'member', 'owner']);
  for (const [id, described] of Object.entries(allOperations)) {
    const { params: _params, query: _query, body: _body, form: _form, headers: _headers, ...operation } = described;
    serveOperation(app, { ...operation, path: `${id in operations ? basePath : ''}${operation.path}` }, () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
  }
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, [Symbol.asyncDispose]: () => app.close() };
}
