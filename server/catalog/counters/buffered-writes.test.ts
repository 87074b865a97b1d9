import { afterEach, expect, test, vi } from 'vitest';
import { bufferWrites } from './buffered-writes.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('what could not be stored is kept, merged with what came meanwhile, and stored once, in order', async () => {
  vi.useFakeTimers();
  const stored: unknown[] = [];
  const errors: unknown[] = [];
  let broken = true;
  const buffered = bufferWrites<number>({
    merge: (earlier, later) => earlier + later,
    store: async (batch) => {
      // What comes while it is stored belongs to the next.
      if (broken) buffered.add({ workspaceId: 'b', name: 'x', value: 1 });
      await Promise.resolve();
      if (broken) throw new Error('away');
      stored.push(batch.map(({ workspaceId, name, value }) => `${workspaceId} ${name} ${value}`));
    },
    what: 'counts',
    log: { error: (error: unknown) => void errors.push(error) },
  });
  buffered.add({ workspaceId: 'b', name: 'x', value: 1 });
  buffered.add({ workspaceId: 'a', name: 'y', value: 1 });
  buffered.add({ workspaceId: 'b', name: 'x', value: 1 });
  await vi.advanceTimersByTimeAsync(1000);
  expect([stored, errors.length, buffered.find('b', 'x')]).toEqual([[], 1, 3]);
  broken = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(stored).toEqual([['a y 1', 'b x 3']]);
  await buffered.stop();
  expect(stored).toHaveLength(1);
});
