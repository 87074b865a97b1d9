/**
 * How long after an attempt that failed the next one follows, milliseconds: seven more within 24 hours, as Standard Webhooks recommends it
 * ("Retry schedule" there). Soon after the first, because most failures are short; then less and less often.
 */
const delays = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 7 * 3600, 9.4 * 3600].map((seconds) => seconds * 1000);

/** How much sooner an attempt may come, so that those of many deliveries do not come together. */
const jitter = 0.1;

/** For how long a webhook has failed at least when a delivery has used up its attempts, milliseconds. */
export const failingMs = delays.reduce((sum, delay) => sum + delay, 0) * (1 - jitter);

/**
 * When a delivery is attempted again.
 * @param attempts that were made
 * @param random from 0 to 1
 * @returns null after the last one
 */
export function nextAttempt(attempts: number, now: number, random: number): Date | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : new Date(now + delay * (1 - jitter * random));
}
