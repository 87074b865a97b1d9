import { type IncomingMessage, request as openRequest } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maxBodyBytes } from '../../../clients/mcp/limits.ts';
import { ApiError } from '../../errors/api-error.ts';
import { requireApiKey } from '../auth/api-key-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { logFailure } from '../errors/error-handler.ts';
import { admitRequest, runAdmitted } from '../limits/concurrency-limit.ts';
import { rejectOtherMethods } from '../operations/serve-operation.ts';
import { abortOnClose, allowSilence } from '../protocol/connections.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { checkJsonStructure } from '../request-bodies/read-json.ts';

/** Entries of arrays and members of objects of a message. Calls have some dozens; a hundred thousand would keep the library busy for seconds. */
const maxMembers = 1000;

/** Characters of identifiers and names, which answers repeat. Those of clients are numbers, UUIDs and words. */
const maxNameLength = 256;

/**
 * The message in the body of a request; undefined for what is no JSON, which the library refuses as JSON-RPC does.
 * Throws `malformed_body` for a batch, which would be many calls for one and which no revision after 2025-03-26 has, and for long identifiers;
 * `payload_too_large` for a message of many parts, before anything parses it.
 */
function readMessage(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return undefined;
  checkJsonStructure(body, maxMembers);
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  if (Array.isArray(message)) throw new ApiError('malformed_body', 'Send one message in a request.');
  checkRepeated(message);
  return message;
}

/** Bounds what an answer repeats of a message, so that none is as large as its request. Throws `malformed_body`. */
function checkRepeated(message: unknown): void {
  const { id, method, params } = membersOf(message);
  const { name, uri, protocolVersion, _meta } = membersOf(params);
  const { progressToken } = membersOf(_meta);
  const repeated = { id, method, 'params.name': name, 'params.uri': uri, 'params.protocolVersion': protocolVersion };
  for (const [member, value] of Object.entries({ ...repeated, 'params._meta.progressToken': progressToken })) {
    const isShort = typeof value === 'string' ? value.length <= maxNameLength : typeof value !== 'object' || !value;
    if (isShort) continue;
    throw new ApiError(
      'malformed_body',
      `\`${member}\` must be a number or text of at most ${maxNameLength} characters.`,
    );
  }
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Where agents reach the service, beside `/api/v1`. */
export const mcpPath = '/mcp';

/** How long a tool waits because the service asks it to repeat a request later, seconds: an agent waits for the tool meanwhile. */
const maxWaitSeconds = 5;

/** Codes of errors in JSON-RPC 2.0: for what is no request, and for our refusals, for which it leaves -32099 to -32000 to implementations. */
const [invalidRequest, refused] = [-32_600, -32_000];

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Serves the Model Context Protocol by streamable HTTP, to clients with a key of a workspace. The tools ask the API of this service in the
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
      const [{ answerMcp }, { createClient }] = await Promise.all([
        import('../../../clients/mcp/http.ts'),
        import('../../../clients/typescript/index.ts'),
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

/** What says under which address a client reaches the service: answers hold URLs under it. */
const addressHeaders = ['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const;

/**
 * A `fetch` whose requests go to the service itself, as if the sender of a request had sent them: the same key, limits, errors and addresses.
 * They go over a connection in memory that the HTTP server takes for one of the network, because only a connection tells its handlers that
 * the sender has gone away; those of Fastify's `inject` do not. The path of the URL counts, not its host.
 * @param sender whose address, and headers of proxies, the requests have
 */
function createOwnFetch({ server }: FastifyInstance, { raw, headers: sent }: FastifyRequest): typeof fetch {
  const { remoteAddress } = raw.socket;
  const address = Object.fromEntries(
    addressHeaders.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  );
  const connect = () => {
    const [here, there] = duplexPair();
    // A side that is destroyed, by an abort or a refusal, takes the other one with it.
    here.once('close', () => there.destroy());
    there.once('close', () => here.destroy());
    server.emit('connection', Object.assign(there, { remoteAddress }));
    return here;
  };
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    // Turns a form into bytes, and names their boundary.
    const content = new Response(body ?? null);
    const contentType = content.headers.get('Content-Type');
    const bytes = Buffer.from(await content.arrayBuffer());
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = openRequest({
        createConnection: connect,
        method,
        path: `${pathname}${search}`,
        headers: {
          ...(contentType === null ? {} : { 'content-type': contentType }),
          ...Object.fromEntries(new Headers(headers)),
          ...address,
        },
        ...(signal ? { signal } : {}),
      });
      request.once('response', resolve).once('error', reject);
      request.end(bytes);
    });
    const received = new Headers();
    for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
      for (const value of values) received.append(name, value);
    }
    const { statusCode: status = 500 } = answer;
    // A response of these has no body (Fetch, 2.2.6).
    const isEmpty = status === 204 || status === 304;
    if (isEmpty) answer.resume();
    return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers: received });
  };
}
