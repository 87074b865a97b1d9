import type { Count, Counter, Counters } from '../../catalog/counters/rate-counters.ts';
import { ApiError } from '../../errors/api-error.ts';
import { networkOf } from '../protocol/requests.ts';
import { throttledError } from './rate-limit.ts';

const windowSeconds = 15 * 60;

/** Failures within the window. */
const maxFailures = {
  /** For one account from one network, and from one device that its owner has signed in with. */
  account: 10,
  /** For one network, whatever the account. */
  network: 50,
  /**
   * For one account, from all networks. Only guesses from many networks reach it, and a stranger cannot lock the owner out: devices that the
   * owner has signed in with neither count here nor are refused.
   */
  everywhere: 100,
};

/** An attempt to sign in. */
type Attempt = {
  ip: string;
  /** The account to sign in to. */
  account: string;
  /** The device, where this account was signed in to with it before. */
  device?: string | undefined;
};

/** A counter and what it counts by; `isOwn`: failures of this account in this place only. */
type Counted = { counter: Counter; key: string; isOwn: boolean };

type Outcome<Result> = Promise<Result | undefined>;

/** Limits how often a client may guess a password. Only failures count. */
function createSignInLimiter(counters: Counters, name: string) {
  const counter = (kind: keyof typeof maxFailures | 'device') =>
    counters({
      name: `${name}-${kind}`,
      limit: maxFailures[kind === 'device' ? 'account' : kind],
      windowSeconds,
      whenAway: 'throw',
    });
  const [networks, everywhere] = [counter('network'), counter('everywhere')];
  const [accounts, devices] = [counter('account'), counter('device')];

  /** The counters of an attempt. One from a known device counts for the device alone, so that strangers cannot use its attempts up. */
  function countersOf({ ip, account, device }: Attempt): Counted[] {
    if (device !== undefined) return [{ counter: devices, key: device, isOwn: true }];
    const network = networkOf(ip);
    return [
      { counter: networks, key: network, isOwn: false },
      { counter: accounts, key: `${network} ${account}`, isOwn: true },
      { counter: everywhere, key: account, isOwn: false },
    ];
  }

  return {
    /**
     * Runs an attempt unless there were too many failures. So that concurrent attempts do not pass together each counts in advance; one that
     * succeeds, or is not judged because it throws, is taken back.
     * @returns what the attempt returns; undefined counts as a failure
     */
    async guard<Result>(attempt: Attempt, run: () => Outcome<Result>): Outcome<Result> {
      const counted = countersOf(attempt);
      const consumed: Counted[] = [];
      try {
        for (const each of counted) {
          await consume(each.counter, each.key);
          consumed.push(each);
        }
        const result = await run();
        if (result !== undefined) {
          // After the right password the count begins again.
          await Promise.all(counted.map(({ counter, key, isOwn }) => counter[isOwn ? 'forget' : 'reward'](key)));
        }
        return result;
      } catch (error) {
        await Promise.all(consumed.map(({ counter, key }) => counter.reward(key)));
        throw error;
      }
    },
  };
}

/** Limits how often a client may ask for links that do not exist. Their 256 random bits cannot be guessed, so this only bounds the work. */
function createLinkLimiter(counters: Counters, name: string) {
  const networks = counters({
    name: `${name}-network`,
    limit: maxFailures.network,
    windowSeconds,
    whenAway: 'throw',
  });
  return {
    /**
     * Looks for a link first, and throttles requests for unknown ones only: a good link works, whatever else is asked for from the same
     * network. Throws `throttled`.
     */
    async look<Result>(ip: string, find: () => Outcome<Result>): Outcome<Result> {
      const found = await find();
      if (found === undefined) await consume(networks, networkOf(ip));
      return found;
    },
  };
}

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/**
 * Counted separately: guessing links must not block sign-ins from the same network. `joins`: new accounts by an invitation;
 * `shares`: public links; `sharePasswords`: theirs.
 */
export const createSignInLimits = (counters: Counters) => ({
  passwords: createSignInLimiter(counters, 'password'),
  joins: createSignInLimiter(counters, 'join'),
  links: createLinkLimiter(counters, 'link'),
  shares: createLinkLimiter(counters, 'share'),
  sharePasswords: createSignInLimiter(counters, 'shared'),
});

/** Throws `throttled`, and `unavailable` while attempts cannot be counted: no attempt is made meanwhile. */
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
