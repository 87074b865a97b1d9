import type { FastifyInstance } from 'fastify';
import { createServer } from './app.ts';
import type { AppDependencies } from './dependencies.ts';
import { serveProbes } from './endpoints/probes.ts';
import { registerErrorHandling } from './errors/error-handler.ts';

/** Builds the HTTP side of a process that answers no requests but those about itself. */
export function buildProbeApp(
  parts: Pick<AppDependencies, 'logLevel' | 'trustedProxies' | 'role' | 'metrics' | 'readiness'>,
): FastifyInstance {
  const app = createServer(parts);
  registerErrorHandling(app);
  serveProbes(app, parts);
  return app;
}
