import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isReadingText, isUnderWay, pollInterval } from './poll-interval.ts';

type Item = Parameters<typeof pollInterval>[0][number];

const item = (status: Item['status'], ageMs = 0): Item => ({
  status,
  updated_at: new Date(Date.now() - ageMs).toISOString(),
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what waits or is indexed is under way; what is complete or failed is settled', () => {
  expect((['pending', 'indexing', 'complete', 'error'] as const).map((status) => isUnderWay({ status }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('items are asked for every second while one under way changed lately or is new, then every five', () => {
  expect(pollInterval([], false)).toBe(1000);
  expect(pollInterval([item('indexing', 29_999)], false)).toBe(1000);
  expect(pollInterval([item('pending', 30_000)], false)).toBe(5000);
  expect(pollInterval([item('pending', 90_000), item('indexing', 2000)], false)).toBe(1000);
  // A settled item that changed lately says nothing of those that are under way.
  expect(pollInterval([item('indexing', 90_000), item('complete')], false)).toBe(5000);
});

test('an item whose texts alone are read is asked for every five seconds, however lately it changed', () => {
  expect(pollInterval([item('complete')], false)).toBe(5000);
});

test('they are asked for every ten seconds while the page is hidden', () => {
  expect(pollInterval([item('indexing')], true)).toBe(10_000);
});

test('an item is being read while one of its texts is', () => {
  const reading = { state: 'pending', progress: 0.4, language: null, model: null, message: null } as const;
  const none = { ...reading, state: 'none' } as const;
  expect(isReadingText({ ocr: none, speech: reading })).toBe(true);
  expect(isReadingText({ ocr: none, speech: none })).toBe(false);
});
