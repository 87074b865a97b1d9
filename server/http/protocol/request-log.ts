import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { operations } from '../../../contract/operations.ts';
import { filesPath } from '../../assets/asset-urls.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { probePaths } from '../endpoints/probes.ts';
import { sharesPath } from '../endpoints/shared-page.ts';

const sharedToken = new RegExp(`^${sharesPath}/[^/]+`);

/** The path of a request for the log: without its query, which carries signatures, one-time tokens and what people search for, and without tokens. */
const describePath = (url: string): string => url.split('?')[0]?.replace(sharedToken, `${sharesPath}/…`) ?? '';

/**
 * Measures each request, and writes one line about it when its response was sent or its connection is gone: at `info`, requests for files and
 * probes at `debug`, because a video that plays makes hundreds. Call it before all other hooks.
 */
export function observeRequests(app: FastifyInstance, metrics: Pick<Metrics, 'observeRequest'>): void {
  app.addHook('onRequest', async (request, reply) => {
    const begun = performance.now();
    const { socket } = request.raw;
    const before = { read: socket.bytesRead, written: socket.bytesWritten };
    reply.raw.once('close', () => {
      const route = request.routeOptions.url ?? 'none';
      const ms = performance.now() - begun;
      const isProbe = probePaths.includes(route);
      // How long a client followed says nothing about the service.
      const isStream = route === `${basePath}${operations.streamEvents.path}`;
      if (!isProbe && !isStream)
        metrics.observeRequest({ method: request.method, route, status: reply.statusCode }, ms / 1000);
      const level = isProbe || route.startsWith(filesPath) ? 'debug' : 'info';
      const bytes = {
        // The head, and what came with it, was read before.
        in: Math.max(Number(request.headers['content-length'] ?? 0), socket.bytesRead - before.read),
        out: socket.bytesWritten - before.written,
      };
      request.log[level](describeRequest(request, reply, { route, ms, bytes }), 'request');
    });
  });
}

/** One line about a request. Keys are named by their identifier. */
function describeRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, ms, bytes }: { route: string; ms: number; bytes: { in: number; out: number } },
) {
  return {
    method: request.method,
    route,
    path: describePath(request.url),
    status: reply.statusCode,
    ms: Math.round(ms * 10) / 10,
    bytesIn: bytes.in,
    bytesOut: bytes.out,
    ...(request.workspaceId ? { workspace: request.workspaceId } : {}),
    ...(request.apiKeyId ? { key: request.apiKeyId } : {}),
    client: request.ip,
    // The connection ended before the response did.
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
  };
}
