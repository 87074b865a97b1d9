import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeInTurn, inTurn } from './read-in-turn.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const soon = () => Promise.resolve('read');
/** A call that hangs until it is told to go on. */
function createHanging<Result>() {
  const { promise, resolve } = Promise.withResolvers<Result>();
  return { call: () => promise, goOn: resolve };
}

test('a source that hangs keeps one call, and others are answered', async () => {
  const hanging = createHanging<string>();
  const failed = [1, 2, 3, 4].map(() => expect(inTurn('a', hanging.call)).rejects.toMatchObject({ code: 'hangs' }));
  expect(await inTurn('b', soon)).toBe('read');
  await pass(16_000);
  await Promise.all(failed);
  expect(await inTurn('b', soon)).toBe('read');
  // Where a call hangs no other is waited for.
  await expect(inTurn('a', soon)).rejects.toMatchObject({ code: 'hangs' });
  hanging.goOn('late');
  await pass(1);
  expect(await inTurn('a', soon)).toBe('read');
});

test('a thread stays free however many sources hang', async () => {
  const hanging = createHanging<string>();
  let begun = 0;
  const call = () => {
    begun += 1;
    return hanging.call();
  };
  const failed = ['a', 'b', 'c', 'd', 'e'].map((place) => expect(inTurn(place, call)).rejects.toThrow());
  await pass(16_000);
  await Promise.all(failed);
  expect(begun).toBe(3);
  hanging.goOn('late');
  await pass(1);
  expect(await inTurn('f', soon)).toBe('read');
});

test('what is opened too late is closed, in turn', async () => {
  const hanging = createHanging<{ close(): Promise<void> }>();
  const handle = { close: vi.fn(() => Promise.resolve()) };
  const failed = expect(
    inTurn('a', hanging.call, (late) => {
      closeInTurn('a', late);
    }),
  ).rejects.toThrow();
  await pass(16_000);
  await failed;
  const other = { close: vi.fn(() => Promise.resolve()) };
  closeInTurn('a', other);
  await pass(1);
  expect(other.close).not.toHaveBeenCalled();
  hanging.goOn(handle);
  await pass(1);
  expect([handle.close.mock.calls.length, other.close.mock.calls.length]).toEqual([1, 1]);
});
