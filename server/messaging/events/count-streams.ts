import { ApiError } from '../../errors/api-error.ts';

/** How many streams one API key, and all together, may have at this process. A stream takes a connection and 65 KB of memory (measured with 1,000). */
const maxPerKey = 100;
const maxStreams = 2000;

/** Counts the streams of this process. */
export function createStreamCounter() {
  const perKey = new Map<string, number>();
  let count = 0;
  return {
    count: () => count,

    /** Counts a stream. Throws `throttled` or `unavailable` where there are too many. @returns what ends that, to be called once */
    reserve(keyId: string): () => void {
      const ofKey = perKey.get(keyId) ?? 0;
      if (ofKey >= maxPerKey) {
        throw new ApiError('throttled', `This API key has ${maxPerKey} streams of events open, which is the limit.`, {
          headers: { 'Retry-After': '30' },
        });
      }
      if (count >= maxStreams) {
        throw new ApiError('unavailable', 'No more streams of events can be opened here. Try again in 10 seconds.', {
          headers: { 'Retry-After': '10' },
        });
      }
      perKey.set(keyId, ofKey + 1);
      count += 1;
      return () => {
        count -= 1;
        const left = (perKey.get(keyId) ?? 0) - 1;
        if (left > 0) perKey.set(keyId, left);
        else perKey.delete(keyId);
      };
    },
  };
}
