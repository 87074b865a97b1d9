import { afterEach, expect, test, vi } from 'vitest';
import type { ItemJobKind } from '../catalog/tables/jobs.ts';
import type { Attempt } from './job-attempt.ts';
import { StoppedError } from './job-errors.ts';
import { makingWay, watchForUrgentJobs } from './urgent-job-watch.ts';

afterEach(() => void vi.useRealTimers());

/** Something always waits, more urgent or of another workspace. @returns for how many seconds an attempt goes on before it makes way; null: not within five minutes */
async function countSeconds(
  kind: ItemJobKind,
  position: number,
  waits: 'urgent' | 'other' = 'urgent',
): Promise<number | null> {
  vi.useFakeTimers();
  const waiting = { shouldYield: () => Promise.resolve(waits === 'urgent'), isTurnOver: () => Promise.resolve(true) };
  using watch = watchForUrgentJobs({ kind, id: 'film' }, waiting, position);
  for (let seconds = 1; seconds <= 300; seconds++) {
    await vi.advanceTimersByTimeAsync(1000);
    if (!watch.signal.aborted) continue;
    expect(watch.signal.reason).toBeInstanceOf(StoppedError);
    return seconds;
  }
  return null;
}

test('a step to a checkpoint makes way once', async () => {
  expect(await countSeconds('speech', 0)).toBe(1);
  expect(await countSeconds('speech', 0)).toBeNull();
  expect(await countSeconds('speech', 28)).toBe(1);
});

test.each(['index', 'reembed'] as const)('%s makes way after 20 seconds, each time', async (kind) => {
  for (const waits of ['other', 'urgent'] as const) {
    for (let i = 0; i < 3; i++) expect(await countSeconds(kind, 0, waits)).toBe(20);
  }
});

test('only relief makes way in the middle of a pass', async () => {
  vi.useFakeTimers();
  const pass = (isRelief: boolean) =>
    makingWay(
      { kind: 'index', id: 'film' },
      {
        signal: new AbortController().signal,
        isRelief,
        shouldYield: () => Promise.resolve(true),
        isTurnOver: () => Promise.resolve(true),
      } as Attempt,
      async ({ signal }) => {
        for (let seconds = 0; seconds < 60; seconds++) await vi.advanceTimersByTimeAsync(1000);
        signal.throwIfAborted();
        return 'whole';
      },
    );
  expect(await pass(false)).toBe('whole');
  await expect(pass(true)).rejects.toThrow(StoppedError);
});

test('between two checkpoints another workspace waits', async () => {
  expect(await countSeconds('ocr', 0, 'other')).toBeNull();
});
