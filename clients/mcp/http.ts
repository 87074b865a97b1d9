import { createMcpHandler } from '@modelcontextprotocol/server';
import { maxBodyBytes } from './limits.ts';
import { type Connection, createMcpServer } from './server.ts';

/**
 * Answers one request of the streamable HTTP transport, of the revision 2026-07-28 or an earlier one. No state is kept between requests.
 * @param connection makes requests with the credentials of the sender
 * @param request aborts when its sender goes away
 * @param message its body, where that was read already
 */
export function answerMcp(connection: Connection, request: Request, message?: unknown): Promise<Response> {
  const handler = createMcpHandler(() => createMcpServer(connection), {
    maxRequestBodySize: maxBodyBytes,
    // The tools do not change while the service runs, so no client subscribes to changes.
    maxSubscriptions: 0,
  });
  return handler.fetch(request, message === undefined ? {} : { parsedBody: message });
}
