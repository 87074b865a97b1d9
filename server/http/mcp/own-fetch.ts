import { type IncomingMessage, request as openRequest } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What says under which address a client reaches the service: answers hold URLs under it. */
const addressHeaders = ['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const;

/**
 * A `fetch` whose requests go to the service itself, as if the sender of a request had sent them: the same key, limits, errors and addresses.
 * They go over a connection in memory that the HTTP server takes for one of the network, because only a connection tells its handlers that
 * the sender has gone away; those of Fastify's `inject` do not. The path of the URL counts, not its host.
 * @param sender whose address, and headers of proxies, the requests have
 */
export function createOwnFetch({ server }: FastifyInstance, { raw, headers: sent }: FastifyRequest): typeof fetch {
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
