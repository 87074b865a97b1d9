import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/api-error.ts';
import { raceWithSignal } from '../../platform/abort-signals.ts';
import { clientGoneError } from '../protocol/connections.ts';

export type Deadline = Disposable & {
  /** Aborts when the client has disconnected or the time is up. */
  signal: AbortSignal;
  /** Waits for work, but no longer than there is time. Throws `unavailable` when the time is up first. */
  limit<Result>(work: Promise<Result>): Promise<Result>;
};

/** Whether `reason` is that of Fastify's `handlerTimeout`: it has answered the request. */
export const isHandlerTimeout = (reason: unknown): boolean =>
  reason instanceof Error && 'code' in reason && reason.code === 'FST_ERR_HANDLER_TIMEOUT';

/**
 * Bounds the time that a request may take. Fastify's own `handlerTimeout` and `request.signal` take the end of a body for the
 * end of the connection (5.12), so for requests that carry one they are of no use once it has arrived. Where Fastify ends a request nevertheless
 * (of one that had to wait before its handler ran), the work ends too.
 * @param seconds null: only a disconnect of the client ends it
 */
export function startDeadline(request: FastifyRequest, { raw }: FastifyReply, seconds: number | null): Deadline {
  const { socket } = request.raw;
  const aborting = new AbortController();
  const onClose = () => {
    if (!raw.writableEnded) aborting.abort(clientGoneError());
  };
  // The socket, not the response: the connection may have closed before this line, and the response of a pipelined request
  // gets no event. A closed socket emits no further event.
  if (socket.destroyed) onClose();
  else socket.on('close', onClose);
  const arrival = seconds === null ? undefined : request.signal;
  const onTimeout = () => {
    if (isHandlerTimeout(arrival?.reason)) aborting.abort(arrival?.reason);
  };
  arrival?.addEventListener('abort', onTimeout);
  onTimeout();
  const timer =
    seconds === null
      ? undefined
      : setTimeout(() => {
          aborting.abort(
            new ApiError('unavailable', 'This took too long and was given up. Try again in 5 seconds.', {
              headers: { 'Retry-After': '5' },
            }),
          );
        }, seconds * 1000);
  const { signal } = aborting;
  return {
    signal,
    limit: (work) => raceWithSignal(signal, work),
    [Symbol.dispose]() {
      clearTimeout(timer);
      arrival?.removeEventListener('abort', onTimeout);
      socket.off('close', onClose);
    },
  };
}
