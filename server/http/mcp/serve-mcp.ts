import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maxBodyBytes } from '../../../clients/mcp/limits.ts';
import { requireApiKey } from '../auth/api-key-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { logFailure } from '../errors/error-handler.ts';
import { admitRequest, runAdmitted } from '../limits/concurrency-limit.ts';
import { rejectOtherMethods } from '../operations/other-methods.ts';
import { getBaseUrl } from '../protocol/base-url.ts';
import { abortOnClose, allowSilence } from '../protocol/connections.ts';
import { readMessage } from './read-message.ts';

/** Where agents reach the service, beside `/api/v1`. */
export const mcpPath = '/mcp';

/** How long a tool waits because the service asks it to repeat a request later, seconds: an agent waits for the tool meanwhile. */
const maxWaitSeconds = 5;

/** Codes of errors in JSON-RPC 2.0: for what is no request, and for our refusals, for which it leaves -32099 to -32000 to implementations. */
const [invalidRequest, refused] = [-32_600, -32_000];

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Serves the Model Context Protocol by streamable HTTP, to whoever has a key of a workspace. The tools ask the API of this service in the
 * name of that key, so what they may do, and how often, is what any client may. Its libraries are loaded by the first request: most services
 * never get one, and a start would take longer.
 */
export async function serveMcp(scope: FastifyInstance, dependencies: Dependencies): Promise<void> {
  const { publicUrl, version } = dependencies;
  scope.setErrorHandler(sendRpcError);
  // The library reads the JSON, and answers what is none as JSON-RPC does.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) => {
    done(null, body);
  });
  requireApiKey(scope, dependencies);
  scope.addHook('onRequest', dependencies.rateLimit);
  // Results of tools hold signed URLs.
  scope.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'private, no-store'));
  refuseForeignPages(scope, publicUrl);
  scope.addHook('onRequest', async (request, reply) => admitRequest(request, reply, 'agent'));
  scope.route({
    method: 'POST',
    url: mcpPath,
    handler: async (request, reply) => {
      const message = readMessage(request.body);
      const signal = abortOnClose(reply);
      allowSilence(request);
      const [{ answerMcp }, { createClient }, { createOwnFetch }] = await Promise.all([
        import('../../../clients/mcp/http.ts'),
        import('../../../clients/typescript/index.ts'),
        import('./own-fetch.ts'),
      ]);
      const client = createClient({
        url: getBaseUrl(request, publicUrl),
        key: request.headers.authorization?.replace(/^Bearer +/i, '').trim() ?? '',
        fetch: createOwnFetch(scope, request),
        maxWaitSeconds,
      });
      const onError = (error: unknown) => request.log.error({ err: error }, 'a tool failed');
      const ask = () => answerMcp({ client, version, onError }, toWebRequest(request, signal), message);
      return reply.send(await runAdmitted(request, 'agent', signal, ask));
    },
  });
  // There are no sessions, so there is no stream to GET and nothing to DELETE.
  rejectOtherMethods(scope, [{ method: 'POST', path: mcpPath }]);
}

/**
 * Refuses what pages of other sites send: by a name that they have changed to point to this machine, a browser would take it for their own
 * (DNS rebinding). Programs send no `Origin`.
 */
function refuseForeignPages(scope: FastifyInstance, publicUrl: string | null): void {
  const names = publicUrl === null ? loopbackNames : [...loopbackNames, new URL(publicUrl).hostname];
  scope.addHook('onRequest', async (request, reply) => {
    if (request.headers.origin === undefined) return;
    const { hostHeaderValidation, originValidation } = await import('@modelcontextprotocol/fastify');
    await originValidation(names)(request, reply);
    if (!reply.sent) await hostHeaderValidation(names)(request, reply);
  });
}

function sendRpcError(thrown: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = logFailure(thrown, request);
  void reply.status(error.status).headers(error.headers).header('Cache-Control', 'no-store');
  const data = { code: error.code, request_id: request.id };
  const code = error.code === 'malformed_body' ? invalidRequest : refused;
  return reply.send({ jsonrpc: '2.0', error: { code, message: error.message, data }, id: null });
}

/** The request as the library takes it. Its key stays here. */
function toWebRequest({ method, headers: sent, body }: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') headers.set(name, value);
  }
  // The address is not looked at.
  return new Request(`http://localhost${mcpPath}`, {
    method,
    headers,
    signal,
    ...(Buffer.isBuffer(body) ? { body: new Uint8Array(body) } : {}),
  });
}
