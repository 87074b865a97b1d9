import type { BucketClient } from '../assets/s3/bucket-client.ts';
import { isRefusal, SourceError } from './source-error.ts';

/** Objects of a listing that are kept to be asked for at most. */
const sampleSize = 16;
/** Fewer may have a policy of their own. */
const leastRefused = 3;

/** Some of the keys of a listing, each as likely, so that one folder with a policy of its own does not stand for all (Vitter, algorithm R). */
export function createSample(random: () => number = Math.random) {
  const keys: string[] = [];
  let seen = 0;
  return {
    keys,
    add(key: string): void {
      seen += 1;
      if (keys.length < sampleSize) return void keys.push(key);
      const place = Math.floor(random() * seen);
      if (place < sampleSize) keys[place] = key;
    },
  };
}

/**
 * Finds out whether a bucket lists objects and refuses to read every one: it may take two rights. Of a bucket that may be read one object is asked for.
 * Throws `SourceError` (`access_denied`) with a sentence for people.
 */
export async function refuseUnreadable(client: Pick<BucketClient, 'head'>, keys: readonly string[]): Promise<void> {
  let refusal: unknown;
  for (const key of keys) {
    try {
      await client.head(key);
      return;
    } catch (error) {
      // Whatever else is the matter, the bucket did not refuse.
      if (!isRefusal(error)) return;
      refusal = error;
    }
  }
  if (keys.length < leastRefused) return;
  const { message } = refusal as Error;
  throw new SourceError('access_denied', `Its objects are listed and may not be read: ${message}`, { cause: refusal });
}
