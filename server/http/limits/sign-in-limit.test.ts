import { expect, test } from 'vitest';
import type { Counters } from '../../catalog/counters.ts';
import { createSignInLimits } from './sign-in-limit.ts';

test('while attempts cannot be counted none is let through, and the sentence says why', async () => {
  const away = () => Promise.reject(new Error('connect ECONNREFUSED'));
  const counters: Counters = ({ whenAway }) => {
    expect(whenAway).toBe('throw');
    return { consume: away, reward: away, forget: away };
  };
  const attempt = createSignInLimits(counters).passwords.guard('127.0.0.1', 'ana@example.org', () =>
    expect.unreachable('the attempt was let through'),
  );
  await expect(attempt).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('cannot be counted') as string,
    headers: { 'Retry-After': '5' },
  });
});
