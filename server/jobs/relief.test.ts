import { afterEach, expect, test, vi } from 'vitest';
import type { HeldJob } from '../catalog/queue/job-queue.ts';
import type { JobKind } from '../catalog/tables/jobs.ts';
import { watchForRelief } from './relief.ts';

afterEach(() => void vi.useRealTimers());

const job = (kind: JobKind, id: string): HeldJob => ({ workspace_id: 'w', id, kind, token: 1, priority: 0 });

/** Workers that begin these jobs now, others wait behind, and so many seconds go by. @returns the jobs that got relief, and when */
async function watch(jobs: (HeldJob | null)[], seconds: number, holdsUp = () => Promise.resolve(true)) {
  vi.useFakeTimers();
  const since = performance.now();
  const workers = jobs.map((each) => ({ underWay: () => each && { job: each, since } }));
  const relieved: [string, number][] = [];
  let second = 0;
  const watching = watchForRelief(
    () => (relieved.length > 0 ? [] : workers),
    holdsUp,
    ({ id }) => void relieved.push([id, second]),
  );
  for (second = 1; second <= seconds; second++) await vi.advanceTimersByTimeAsync(1000);
  await watching.stop();
  return relieved;
}

test('a pass that others wait behind gets relief after 15 seconds, once', async () => {
  expect(await watch([job('index', 'film')], 60)).toEqual([['film', 15]]);
});

test('where nobody waits there is none, also while the catalog cannot be read', async () => {
  expect(await watch([job('index', 'film')], 60, () => Promise.resolve(false))).toEqual([]);
  expect(await watch([job('index', 'film')], 60, () => Promise.reject(new Error('away')))).toEqual([]);
});

test.each([
  ['a worker that is free', [job('index', 'film'), null]],
  ['a job with checkpoints, which makes way by itself', [job('index', 'film'), job('ocr', 'other')]],
  ['no worker', []],
])('%s is relief enough', async (_, jobs) => {
  expect(await watch(jobs, 60)).toEqual([]);
});
