import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors/api-error.ts';

/** How long a client may continue to send a body after the response was sent, before the connection is closed. */
const lingerTimeoutMs = 30_000;

/** A host name or an IP address, with or without a port (RFC 9110, 7.2). */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Checks what HTTP requires of the head of any request, with the errors of the API: `Host` and `Expect`. Call it before all routes. */
export function checkRequestHeads(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers, raw }, reply) => {
    // Node keeps the first of several, so they are counted in what was sent.
    const hosts = raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
    if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
      throw new ApiError('malformed_body', 'A request needs the header `Host`, once.');
    }
    if (hosts === 1 && !hostPattern.test(headers.host ?? '')) {
      throw new ApiError(
        'malformed_body',
        'The header `Host` must be a host name or an IP address, with or without a port.',
      );
    }
    if (headers.expect === undefined) return;
    // A refusal ends the connection: whether the body follows is not known then.
    void reply.header('Connection', 'close');
    if (headers.expect.toLowerCase() !== '100-continue') {
      throw new ApiError('expectation_failed', 'The header `Expect` may only ask for `100-continue`.');
    }
  });
  // `100 Continue` is sent once the request has passed what its head can be refused for: key, limits, path.
  app.addHook('preParsing', async ({ headers }, reply, payload) => {
    if (headers.expect !== undefined) {
      void reply.removeHeader('Connection');
      reply.raw.writeContinue();
    }
    return payload;
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete) return;
    // What is left of a body that was read in part must be read too: until then the connection takes no other request. Of one of which nothing was
    // read Node does it, and what is piped goes on.
    if (raw.listenerCount('data') === 0) raw.removeAllListeners('readable').resume();
    const timer = setTimeout(() => {
      if (!raw.complete) raw.socket.destroy();
    }, lingerTimeoutMs);
    raw.once('close', () => clearTimeout(timer));
  });
  // Each request of a connection watches it, and pipelined ones do so at the same time.
  app.server.on('connection', (socket) => socket.setMaxListeners(0));
  // Node would respond to both by itself, before any route.
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    app.server.on(event, (request: IncomingMessage, response: ServerResponse) => app.routing(request, response));
  }
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    const methods = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';
    sendAndClose(
      socket,
      new ApiError('method_not_allowed', 'This service is not a proxy.', { headers: { Allow: methods } }),
    );
  });
}

/** Responds to what is not an HTTP request, or came too slowly or with too large a head, before any route is reached. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse };
  // In the middle of a response another cannot begin.
  if (error.code === 'ECONNRESET' || !socket.writable || underWay?.headersSent) {
    socket.destroy(error);
    return;
  }
  const answers: Record<string, ApiError> = {
    HPE_HEADER_OVERFLOW: new ApiError('headers_too_large', 'The URL and the headers may have at most 16 KiB together.'),
    ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request did not arrive in time.'),
  };
  sendAndClose(socket, answers[error.code ?? ''] ?? new ApiError('malformed_body', 'This is not an HTTP request.'));
}

function sendAndClose(socket: Socket, answer: ApiError): void {
  const body = JSON.stringify(answer.toBody());
  socket.on('error', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${crypto.randomUUID()}`,
      ...Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
