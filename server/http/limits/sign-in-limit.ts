import { ApiError } from '../../api-error.ts';
import type { Count, Counter, Counters } from '../../catalog/counters.ts';
import { throttledError } from './rate-limit.ts';

const windowSeconds = 15 * 60;
/** Failures within the window, for one account and for one network address. */
const maxFailuresPerAccount = 10;
const maxFailuresPerAddress = 50;

/** Limits how often a client may guess a password or a link. Only failures count. */
function createSignInLimiter(counters: Counters, name: string) {
  const counter = (kind: string, limit: number) =>
    counters({ name: `${name}-${kind}`, limit, windowSeconds, whenAway: 'throw' });
  const accounts = counter('account', maxFailuresPerAccount);
  const addresses = counter('address', maxFailuresPerAddress);

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
        if (account !== undefined) await accounts.forget(account);
      }
      return result;
    },
  };
}

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/** Counted separately: guessing links must not block sign-ins from the same IP address. `shares`: public links. */
export const createSignInLimits = (counters: Counters) => ({
  passwords: createSignInLimiter(counters, 'password'),
  links: createSignInLimiter(counters, 'link'),
  shares: createSignInLimiter(counters, 'share'),
});

/**
 * Counts an attempt in advance, so that concurrent attempts do not pass together. Throws `throttled`, and `unavailable` while attempts cannot
 * be counted: nobody may guess meanwhile.
 */
async function consume(counter: Counter, key: string): Promise<void> {
  const { exceeded, msBeforeNext } = await counter.consume(key).catch((): Count => {
    throw new ApiError(
      'unavailable',
      'Attempts cannot be counted at the moment, so none is let through. Try again in 5 seconds.',
      {
        headers: { 'Retry-After': '5' },
      },
    );
  });
  if (exceeded) throw throttledError(Math.ceil(msBeforeNext / 1000));
}
