import { setTimeout as delay } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';

/**
 * A bucket that takes requests and never answers. A request that gets no byte for the idle time (`StorageSettings.idleMs`) is sent again once, not as often
 * as one that failed: it would wait as long each time. An upload asks several times, such as whether its object is there after all; so after a silence
 * requests have a second each for a while, or until one is answered. In all a client learns of it within ten seconds.
 */

/** How long a request may take after a silence, milliseconds. */
const shortMs = 1000;
/** For so long after a silence, milliseconds. Then one request has the whole time again. */
const distrustMs = 10_000;

/** The SDK calls a connection that broke by the same name, and gives it the code of the system. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TimeoutError' && !('code' in error);

/** Has a client give up a silent store. */
export function giveUpSilence(s3: S3Client): void {
  let silentUntil = -Infinity;
  s3.middlewareStack.add(
    (next) => async (args) => {
      const answered = next(args);
      const isDistrusted = performance.now() < silentUntil;
      // Also one that came too late for its request.
      const trust = () => void (silentUntil = -Infinity);
      answered.then(trust, () => undefined);
      try {
        return await (isDistrusted ? Promise.race([answered, beSilent()]) : answered);
      } catch (error) {
        // A request that had a second only says nothing new.
        if (isSilence(error) && !isDistrusted) silentUntil = performance.now() + distrustMs;
        throw error;
      }
    },
    { step: 'finalizeRequest', name: 'giveUpSilence', priority: 'low' },
  );
  const strategy = s3.config.retryStrategy;
  s3.config.retryStrategy = async () => {
    const standard = await strategy();
    if (!('refreshRetryTokenForRetry' in standard)) return standard;
    return {
      acquireInitialRetryToken: (scope) => standard.acquireInitialRetryToken(scope),
      refreshRetryTokenForRetry(token, failure) {
        if (isSilence(failure.error) && token.getRetryCount() > 0) throw failure.error;
        return standard.refreshRetryTokenForRetry(token, failure);
      },
      recordSuccess: (token) => standard.recordSuccess(token),
    };
  };
}

async function beSilent(): Promise<never> {
  await delay(shortMs, undefined, { ref: false });
  throw Object.assign(new Error('The storage has not answered for a while.'), { name: 'TimeoutError' });
}
