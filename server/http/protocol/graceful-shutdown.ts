import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors/api-error.ts';

/** How long a shutdown waits for requests in progress, milliseconds, and for which. */
export type Drain = { waitMs: number; requests: 'changes' | 'all' };

/** Of a service alone: who restarts it does not want to wait for a video that somebody watches. */
export const shortDrain: Drain = { waitMs: 3000, requests: 'changes' };
/** Of one process among several, which nobody waits for. */
export const patientDrain: Drain = { waitMs: 30_000, requests: 'all' };

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts when a shutdown begins: for requests whose clients lose nothing when they come again. */
    closing: AbortSignal;
  }
}

const stoppingError = (): ApiError =>
  new ApiError('unavailable', 'The service is stopping. Try again in 5 seconds.', {
    headers: { 'Retry-After': '5', Connection: 'close' },
  });

/** At a shutdown lets requests in flight complete, and refuses new ones meanwhile. */
export function drainOnClose(app: FastifyInstance, { waitMs, requests }: Drain): void {
  const active = new Set<string>();
  const closing = new AbortController();
  app.decorate('closing', closing.signal);
  app.addHook('onRequest', async (request) => {
    if (closing.signal.aborted) throw stoppingError();
    if (requests === 'all' || (request.method !== 'GET' && request.method !== 'HEAD')) active.add(request.id);
  });
  app.addHook('onResponse', async (request) => void active.delete(request.id));
  app.addHook('onRequestAbort', async (request) => void active.delete(request.id));
  app.addHook('preClose', async () => {
    closing.abort(stoppingError());
    for (const begun = Date.now(); active.size > 0 && Date.now() - begun < waitMs;) await delay(20);
  });
}
