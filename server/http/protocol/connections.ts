import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/api-error.ts';

/** An idle connection is closed after this time, also in the middle of an upload or a download. */
export const idleTimeoutMs = 120_000;

/** Has the connection of a request not count as idle while its response is prepared, when nothing is sent. Its next request sets this again. */
export function allowSilence({ raw }: FastifyRequest): void {
  // A request of the service to itself comes over a stream in memory.
  if (raw.socket instanceof Socket) raw.socket.setTimeout(0);
}

/** Ends work for a client that has gone away. No client reads it. */
export const clientGoneError = (): ApiError => new ApiError('malformed_body', 'The client has gone away.');

/** Aborts when the client has gone away before its response was sent. */
export function abortOnClose({ raw }: FastifyReply): AbortSignal {
  const aborting = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) aborting.abort(clientGoneError());
  });
  return aborting.signal;
}

/** How long a shutdown waits for requests in progress, milliseconds, and for which. */
type Drain = { waitMs: number; requests: 'changes' | 'all' };

/** The drain of a single process: a restart does not wait for a video that is being watched. */
export const shortDrain: Drain = { waitMs: 3000, requests: 'changes' };
/** The drain of one process among several: the others serve meanwhile. */
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
