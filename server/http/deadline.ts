import type { FastifyReply } from 'fastify';
import { ApiError } from './api-error.ts';

export type Deadline = Disposable & {
  /** Aborts when the client has gone away or the time is up. */
  signal: AbortSignal;
  /** Waits for work, but no longer than there is time. Throws `unavailable` when the time is up first. */
  limit<Result>(work: Promise<Result>): Promise<Result>;
};

/**
 * Bounds the time that a request may take. Fastify's own `handlerTimeout` and `request.signal` take the end of a body for the
 * end of the connection (5.12), so for requests that carry one they are of no use once it has arrived.
 * @param seconds null: only the client's leaving ends it
 */
export function startDeadline({ raw }: FastifyReply, seconds: number | null): Deadline {
  const aborting = new AbortController();
  const onClose = () => {
    // Nobody reads this answer; it only ends the work.
    if (!raw.writableEnded) aborting.abort(new ApiError('malformed_body', 'The client has gone away.'));
  };
  raw.on('close', onClose);
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
    async limit(work) {
      const { promise: ended, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort);
      try {
        return await Promise.race([work, ended]);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      raw.off('close', onClose);
    },
  };
}
