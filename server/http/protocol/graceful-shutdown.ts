import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../api-error.ts';

/** How long a shutdown waits for requests that change something. */
const drainTimeoutMs = 3000;

/** At a shutdown lets uploads and other changes in flight complete, and refuses new requests meanwhile. */
export function drainOnClose(app: FastifyInstance): void {
  const activeWrites = new Set<string>();
  let stopping = false;
  app.addHook('onRequest', async (request) => {
    if (stopping) {
      throw new ApiError('unavailable', 'The service is stopping. Try again in 5 seconds.', {
        headers: { 'Retry-After': '5', Connection: 'close' },
      });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') activeWrites.add(request.id);
  });
  app.addHook('onResponse', async (request) => void activeWrites.delete(request.id));
  app.addHook('onRequestAbort', async (request) => void activeWrites.delete(request.id));
  app.addHook('preClose', async () => {
    stopping = true;
    for (const begun = Date.now(); activeWrites.size > 0 && Date.now() - begun < drainTimeoutMs;) await delay(20);
  });
}
