import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { throttledError } from './rate-limit.ts';

const windowSeconds = 15 * 60;
/** Failures within the window, for one account and for one network address. */
const maxFailuresPerAccount = 10;
const maxFailuresPerAddress = 50;

/**
 * Counts the failures of each account or network address within the window.
 * Single process: in memory, so a restart forgets them, and with a second process each would allow the full number. Then the counters have to
 * be in a store that all processes share; rate-limiter-flexible has such limiters with the same methods.
 */
const createFailureCounter = (maxFailures: number): RateLimiterMemory =>
  new RateLimiterMemory({ points: maxFailures, duration: windowSeconds });

/** Limits how often a client may guess a password or a link. Only failures count. */
function createSignInLimiter() {
  const accounts = createFailureCounter(maxFailuresPerAccount);
  const addresses = createFailureCounter(maxFailuresPerAddress);

  /** Counts an attempt in advance, so that concurrent attempts do not pass together. Throws `throttled`. */
  async function consume(limiter: RateLimiterMemory, name: string): Promise<void> {
    try {
      await limiter.consume(name);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) throw throttledError(Math.ceil(refusal.msBeforeNext / 1000));
      throw refusal;
    }
  }

  return {
    /**
     * Runs an attempt unless there were too many failures.
     * @param account the account to sign in to, if known
     * @returns what the attempt returns; undefined counts as a failure
     */
    async guard<Result>(
      address: string,
      account: string | undefined,
      attempt: () => Promise<Result | undefined>,
    ): Promise<Result | undefined> {
      await consume(addresses, address);
      if (account !== undefined) await consume(accounts, account);
      const result = await attempt();
      if (result !== undefined) {
        await addresses.reward(address);
        if (account !== undefined) await accounts.delete(account);
      }
      return result;
    },
  };
}

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/** Counted separately: guessing links must not block sign-ins from the same IP address. `shares`: public links. */
export const createSignInLimits = () => ({
  passwords: createSignInLimiter(),
  links: createSignInLimiter(),
  shares: createSignInLimiter(),
});
