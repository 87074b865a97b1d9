import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { files, setUp, setUpSending, settle } from './controlled-queue.ts';
import { noLabels } from './upload.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('labels are those that were chosen for the files', async () => {
  const { queue, checks, attempts } = await setUpSending();
  queue.add(files('b'), { ...noLabels, creator_id: 'ada' });
  checks[1]?.end(null);
  await settle();
  expect(attempts.map(({ labels }) => labels.creator_id)).toEqual(['', 'ada']);
});

test('a batch gets other labels: those that wait are sent with them, the others get them once they are stored', async () => {
  const { queue, checks, attempts, relabelled } = setUp();
  queue.add(files('other batch'));
  queue.add(files('a', 'b', 'c'), { ...noLabels, creator_id: 'ada' });
  for (let i = 0; i < 4; i++) {
    checks[i]?.end(i === 3 ? 'known' : null);
    await settle();
  }
  attempts[0]?.end({ outcome: 'sent', mediaId: 'other batch', duplicate: false });
  attempts[1]?.end({ outcome: 'sent', mediaId: 'a', duplicate: false });
  await settle();
  const [first, second] = [
    { ...noLabels, creator_id: 'ada' },
    { ...noLabels, creator_id: 'bo', tags: 'sea' },
  ];
  expect(attempts).toHaveLength(3);
  queue.setLabels(2, second);
  // `a` is stored, `b` is being sent, `c` was there before.
  expect(relabelled).toEqual([
    [['a'], first, second],
    [['known'], null, second],
  ]);
  attempts[2]?.end({ outcome: 'sent', mediaId: 'b', duplicate: false });
  await settle();
  expect(attempts[2]?.labels).toEqual(first);
  expect(relabelled.slice(2)).toEqual([[['b'], first, second]]);
});

test('an attempt is repeated with the labels that it began with, and what waits is sent with the new ones', async () => {
  const { queue, attempts, checks, relabelled } = await setUpSending();
  queue.add(files('b'));
  checks[1]?.end(null);
  queue.setLabels(1, { ...noLabels, tags: 'sea' });
  attempts[0]?.end({ outcome: 'interrupted' });
  await vi.advanceTimersByTimeAsync(2000);
  const repeated = attempts.filter(({ file }) => file.name === 'a');
  expect(repeated.map(({ labels }) => labels.tags)).toEqual(['', '']);
  repeated[1]?.end({ outcome: 'sent', mediaId: 'a', duplicate: false });
  await settle();
  expect(relabelled).toEqual([[['a'], noLabels, { ...noLabels, tags: 'sea' }]]);
});

test('files that are refused are listed and can be tried', async () => {
  const { queue, states, checks } = setUp();
  queue.add(files('a'));
  queue.addFailed(files('b'), noLabels, { message: 'The plan is full.', retry: 'later' });
  expect(states()).toEqual(['hashing', 'failed']);
  queue.setLabels(1, { ...noLabels, tags: 'sea' });
  expect(queue.getState().uploads.map(({ labels }) => labels.tags)).toEqual(['sea', 'sea']);
  checks[0]?.end('a');
  await settle();
  queue.retry(2);
  expect(states()).toEqual(['indexing', 'hashing']);
});
