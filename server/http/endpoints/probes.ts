import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readiness } from '../../platform/health/readiness.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { isInNetworks, privateNetworks } from '../protocol/requests.ts';

/** Where a balancer asks whether this process runs, and whether it wants requests; and where Prometheus reads what it measured. */
export const probePaths = ['/healthz', '/readyz', '/metrics'];

/**
 * `GET /healthz`, `/readyz` and `/metrics`. They need no key, and tell nothing about what is stored. `/healthz` answers as long as the event
 * loop does, whatever else is wrong: a supervisor that restarts processes by it does not restart them because the database is away.
 */
export function serveProbes(app: FastifyInstance, { readiness, metrics }: { readiness: Readiness; metrics: Metrics }) {
  app.get('/healthz', (_request, reply) => reply.header('Cache-Control', 'no-store').send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const report = await readiness.report();
    return reply
      .status(report.status === 'ready' || report.status === 'degraded' ? 200 : 503)
      .header('Cache-Control', 'no-store')
      .send(report);
  });
  app.get('/metrics', async (request, reply) => {
    if (!isFromInside(request)) return reply.callNotFound();
    const { text, contentType } = await metrics.read();
    return reply.header('Cache-Control', 'no-store').type(contentType).send(text);
  });
}

/** Headers by which a proxy says that it passes a request on. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Whether a request comes from this machine or its private network, and not over a proxy, which may stand for anybody. */
function isFromInside({ raw, headers }: FastifyRequest): boolean {
  return (
    isInNetworks(raw.socket.remoteAddress, privateNetworks) && proxyHeaders.every((name) => headers[name] === undefined)
  );
}
