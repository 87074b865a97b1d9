import { expect, test } from 'vitest';
import { failingMs, nextAttempt } from './start-deliveries.ts';

/** The times of all attempts of a delivery that never arrives, hours after the first. */
function attemptTimes(random: number): number[] {
  const times = [0];
  for (let now: number | undefined = 0; now !== undefined;) {
    now = nextAttempt(times.length, now, random)?.getTime();
    if (now !== undefined) times.push(now);
  }
  return times.map((time) => time / 3_600_000);
}

test('eight attempts within 24 hours: after seconds, minutes, then hours', () => {
  const latest = attemptTimes(0);
  expect(latest).toHaveLength(8);
  expect(latest[1]).toBeCloseTo(5 / 3600);
  expect(latest[2]).toBeLessThan(0.1);
  expect(latest.at(-1)).toBeLessThanOrEqual(24);
  expect(latest.at(-1)).toBeGreaterThan(23.5);
});

test('each wait is up to a tenth shorter, and a webhook that never answered has failed for long enough at the last', () => {
  const earliest = attemptTimes(1);
  expect(earliest[1]).toBeCloseTo(4.5 / 3600);
  expect((earliest.at(-1) ?? 0) * 3_600_000).toBeGreaterThanOrEqual(failingMs - 1);
});
