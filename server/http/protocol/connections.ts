import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
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
