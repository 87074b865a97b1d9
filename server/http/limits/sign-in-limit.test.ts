import { expect, test } from 'vitest';
import { type Counters, createCounters } from '../../catalog/counters/rate-counters.ts';
import { createSignInLimits } from './sign-in-limit.ts';

test('while attempts cannot be counted none is let through, and the sentence says why', async () => {
  const away = () => Promise.reject(new Error('connect ECONNREFUSED'));
  const counters: Counters = ({ whenAway }) => {
    expect(whenAway).toBe('throw');
    return { consume: away, reward: away, forget: away };
  };
  const attempt = createSignInLimits(counters).passwords.guard({ ip: '127.0.0.1', account: 'ana@example.org' }, () =>
    expect.unreachable('the attempt was let through'),
  );
  await expect(attempt).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('cannot be counted') as string,
    headers: { 'Retry-After': '5' },
  });
});

const wrong = async () => undefined;
const right = async () => 'in';
const throttled = { code: 'throttled' };

test('ten failures lock an account for the network that they come from, and for no other', async () => {
  const { passwords } = createSignInLimits(createCounters(null));
  const from = (ip: string, account = 'ana@example.org') => ({ ip, account });
  // A client has all addresses of its IPv6 network.
  for (let i = 1; i <= 10; i++) await passwords.guard(from(`2001:db8:1:2::${i}`), wrong);
  await expect(passwords.guard(from('2001:db8:1:2:ffff::1'), right)).rejects.toMatchObject(throttled);
  expect(await passwords.guard(from('2001:db8:1:3::1'), right)).toBe('in');
  expect(await passwords.guard(from('203.0.113.7'), right)).toBe('in');
  expect(await passwords.guard(from('2001:db8:1:2::1', 'bo@example.org'), right)).toBe('in');
});

test('a hundred failures from many networks lock an account for all but the devices of its owner', async () => {
  const { passwords } = createSignInLimits(createCounters(null));
  const account = 'ana@example.org';
  for (let i = 0; i < 100; i++) await passwords.guard({ ip: `203.0.113.${i}`, account }, wrong);
  await expect(passwords.guard({ ip: '198.51.100.1', account }, right)).rejects.toMatchObject(throttled);
  expect(await passwords.guard({ ip: '203.0.113.1', account, device: 'hers' }, right)).toBe('in');
  // Nor may that device guess more often.
  for (let i = 0; i < 10; i++) await passwords.guard({ ip: '203.0.113.1', account, device: 'hers' }, wrong);
  const again = passwords.guard({ ip: '203.0.113.2', account, device: 'hers' }, right);
  await expect(again).rejects.toMatchObject(throttled);
});

test('fifty failures of one network lock it for all accounts; a success or what is not judged counts nothing', async () => {
  const { passwords } = createSignInLimits(createCounters(null));
  const attempt = (i: number, run: () => Promise<string | undefined>) =>
    passwords.guard({ ip: '203.0.113.7', account: `person${i}@example.org` }, run);
  for (let i = 0; i < 60; i++) {
    await attempt(i, right);
    await expect(attempt(i, () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
  }
  for (let i = 0; i < 50; i++) await attempt(i, wrong);
  await expect(attempt(50, right)).rejects.toMatchObject(throttled);
  // Refused, an attempt counts nowhere: the account is not locked for others.
  for (let i = 0; i < 200; i++) await attempt(51, wrong).catch(() => undefined);
  expect(await passwords.guard({ ip: '203.0.113.8', account: 'person51@example.org' }, right)).toBe('in');
});

test('of 300 attempts at once ten are judged', async () => {
  const { passwords } = createSignInLimits(createCounters(null));
  let judged = 0;
  const attempts = Array.from({ length: 300 }, () =>
    passwords.guard({ ip: '203.0.113.7', account: 'ana@example.org' }, async () => void (judged += 1)),
  );
  await Promise.allSettled(attempts);
  expect(judged).toBe(10);
});

test('requests for links that do not exist are throttled, and one for a link that exists is not, from the same network', async () => {
  const { links, shares } = createSignInLimits(createCounters(null));
  const ip = '2001:db8::1';
  for (let i = 0; i < 50; i++) expect(await links.look(ip, wrong)).toBeUndefined();
  await expect(links.look('2001:db8::2', wrong)).rejects.toMatchObject(throttled);
  expect(await links.look(ip, right)).toBe('in');
  // Other kinds of links, and other networks, count for themselves.
  expect(await shares.look(ip, wrong)).toBeUndefined();
  expect(await links.look('2001:db8:0:1::1', wrong)).toBeUndefined();
});
