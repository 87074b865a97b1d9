import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { iterateUntilAborted } from './abort-signals.ts';

async function* count(ended: { value: boolean }): AsyncGenerator<number> {
  try {
    for (let i = 0; ; i++) yield i;
  } finally {
    ended.value = true;
  }
}

test('values come until the signal aborts, also while none comes; one listener is enough for all', async () => {
  const aborting = new AbortController();
  const ended = { value: false };
  const seen: number[] = [];
  for await (const value of iterateUntilAborted(aborting.signal, count(ended))) {
    seen.push(value);
    expect(getEventListeners(aborting.signal, 'abort').length).toBe(1);
    if (value === 2) break;
  }
  expect([seen, ended.value, getEventListeners(aborting.signal, 'abort').length]).toEqual([[0, 1, 2], true, 0]);

  const reason = new Error('The client has gone.');
  const stuck = {
    next: () => new Promise<never>(() => {}),
    [Symbol.asyncIterator]: () => stuck,
  };
  const waiting = iterateUntilAborted(aborting.signal, stuck).next();
  aborting.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(iterateUntilAborted(aborting.signal, count(ended)).next()).rejects.toBe(reason);
});

test('an iterator that fails ends it', async () => {
  async function* fail(): AsyncGenerator<number> {
    yield 1;
    throw new Error('broken');
  }
  const values = iterateUntilAborted(new AbortController().signal, fail());
  expect((await values.next()).value).toBe(1);
  await expect(values.next()).rejects.toThrow('broken');
});
