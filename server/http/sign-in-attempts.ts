import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { throttled } from './rate-limit.ts';

const windowSeconds = 15 * 60;
/** Failures within the window, for one account and for one network address. */
const perAccount = 10;
const perAddress = 50;

/** Limits how often somebody may guess a password or a link. Only failures count. */
export function createAttemptLimit() {
  const accounts = new RateLimiterMemory({ points: perAccount, duration: windowSeconds });
  const addresses = new RateLimiterMemory({ points: perAddress, duration: windowSeconds });

  /** Takes an attempt in advance, so that many at the same time do not pass together. Throws `throttled`. */
  async function take(limiter: RateLimiterMemory, name: string): Promise<void> {
    try {
      await limiter.consume(name);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) throw throttled(Math.ceil(refusal.msBeforeNext / 1000));
      throw refusal;
    }
  }

  return {
    /**
     * Runs an attempt unless there were too many failures.
     * @param account whom it is for, when that is known
     * @returns what the attempt returns; undefined counts as a failure
     */
    async guard<Result>(
      address: string,
      account: string | undefined,
      attempt: () => Promise<Result | undefined>,
    ): Promise<Result | undefined> {
      await take(addresses, address);
      if (account !== undefined) await take(accounts, account);
      const result = await attempt();
      if (result !== undefined) {
        await addresses.reward(address);
        if (account !== undefined) await accounts.delete(account);
      }
      return result;
    },
  };
}
