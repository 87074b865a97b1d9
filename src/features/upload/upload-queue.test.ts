import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { files, setUp, setUpSending, settle } from './controlled-queue.ts';
import { noLabels } from './upload.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('files are hashed one by one and sent two at a time, in the order in which they were added', async () => {
  const { queue, checks, attempts, states, stored } = setUp();
  queue.add(files('a', 'b'));
  queue.add(files('c', 'd'));
  expect(states()).toEqual(['hashing', 'queued', 'queued', 'queued']);
  for (let i = 0; i < 4; i++) {
    expect(checks).toHaveLength(i + 1);
    checks[i]?.end(null);
    await settle();
  }
  expect(states()).toEqual(['sending', 'sending', 'queued', 'queued']);
  expect(attempts.map(({ file }) => file.name)).toEqual(['a', 'b']);
  attempts[1]?.end({ outcome: 'sent', mediaId: 'id-b', duplicate: false });
  await settle();
  expect(states()).toEqual(['sending', 'indexing', 'sending', 'queued']);
  expect(queue.getState().uploads[1]).toMatchObject({ mediaId: 'id-b', duplicate: false, failure: null });
  expect(stored).toEqual(['id-b']);
});

test('a file that the service has is not sent', async () => {
  const { queue, checks, attempts } = setUp();
  queue.add(files('a'));
  checks[0]?.onHashed(4);
  expect(queue.getState().uploads[0]?.hashed).toBe(4);
  checks[0]?.end('id-a');
  await settle();
  expect(queue.getState().uploads[0]).toMatchObject({ state: 'indexing', mediaId: 'id-a', duplicate: true });
  expect(attempts).toHaveLength(0);
});

test('progress and mean speed are reported to listeners, until they unsubscribe', async () => {
  const { queue, attempts } = await setUpSending();
  const listener = vi.fn();
  const unsubscribe = queue.subscribe(listener);
  await vi.advanceTimersByTimeAsync(2000);
  attempts[0]?.onSent(5);
  expect(queue.getState().uploads[0]).toMatchObject({ sent: 5, speed: 2.5 });
  expect(listener).toHaveBeenCalledTimes(1);
  unsubscribe();
  attempts[0]?.onSent(6);
  expect(listener).toHaveBeenCalledTimes(1);
});

test('a refused file fails with the reason, lets the next one start, and is sent again by a retry', async () => {
  const { queue, attempts, states } = await setUpSending();
  attempts[0]?.end({ outcome: 'failed', message: 'No space.', retry: 'now' });
  await settle();
  expect(queue.getState().uploads[0]).toMatchObject({
    state: 'failed',
    failure: { message: 'No space.', retry: 'now' },
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts).toHaveLength(1);
  queue.retry(1);
  expect(queue.getState().uploads[0]).toMatchObject({ state: 'sending', failure: null });
  attempts[1]?.end({ outcome: 'sent', mediaId: 'id', duplicate: false });
  await settle();
  expect(states()).toEqual(['indexing']);
});

test('an interrupted file is sent again with the same idempotency key, after delays that double up to 30 s', async () => {
  const { queue, attempts, states } = await setUpSending();
  for (const [i, delayMs] of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000].entries()) {
    attempts[i]?.onSent(7);
    attempts[i]?.end({ outcome: 'interrupted' });
    await settle();
    expect(queue.getState().uploads[0]).toMatchObject({ state: 'interrupted', interruptions: i + 1, sent: 0 });
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(attempts).toHaveLength(i + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(attempts).toHaveLength(i + 2);
  }
  expect(new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(['visit-1-0']));
  attempts[8]?.end({ outcome: 'interrupted' });
  await settle();
  expect(states()).toEqual(['failed']);
  expect(queue.getState().uploads[0]?.failure).toEqual({
    message: 'The server could not be reached for some minutes.',
    retry: 'now',
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts).toHaveLength(9);
});

test('a file that is given up says what the last interruption said', async () => {
  const { queue, attempts, states } = await setUpSending();
  for (let i = 0; i < 9; i++) {
    expect(states()).toEqual(['sending']);
    attempts[i]?.end({ outcome: 'interrupted', message: 'Changed on their way.' });
    await vi.advanceTimersByTimeAsync(30_000);
  }
  expect(queue.getState().uploads[0]).toMatchObject({
    state: 'failed',
    failure: { message: 'Changed on their way.', retry: 'now' },
  });
});

test('a retry by hand counts interruptions from the start', async () => {
  const { queue, attempts } = await setUpSending();
  attempts[0]?.end({ outcome: 'interrupted' });
  await settle();
  queue.retry(1);
  expect(queue.getState().uploads[0]).toMatchObject({ state: 'sending', interruptions: 0 });
});

test('a cancelled file is aborted and never sent again by itself, whichever state it was in', async () => {
  const { queue, checks, attempts, states } = await setUpSending();
  queue.add(files('b', 'c'));
  expect(states()).toEqual(['sending', 'hashing', 'queued']);
  queue.cancel(1);
  expect(attempts[0]?.signal.aborted).toBe(true);
  attempts[0]?.onSent(9);
  expect(queue.getState().uploads[0]?.sent).toBe(0);
  queue.cancel(2);
  expect(checks[1]?.signal.aborted).toBe(true);
  await settle();
  expect(states()).toEqual(['cancelled', 'cancelled', 'hashing']);
  checks[2]?.end(null);
  await settle();
  attempts[1]?.end({ outcome: 'interrupted' });
  await settle();
  queue.cancel(3);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(states()).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(attempts).toHaveLength(2);
});

test('a pause aborts what is sent and starts nothing; a resume sends what the service does not keep', async () => {
  const { queue, checks, attempts, states } = await setUpSending();
  queue.add(files('b'));
  attempts[0]?.onSent(5);
  queue.pause();
  expect(attempts[0]?.signal.aborted).toBe(true);
  expect(queue.getState().uploads[0]).toMatchObject({ state: 'queued', sent: 0 });
  checks[1]?.end(null);
  await settle();
  expect(states()).toEqual(['queued', 'queued']);
  expect(attempts).toHaveLength(1);
  queue.resume();
  expect(states()).toEqual(['sending', 'sending']);
  expect(attempts.map(({ file }) => file.name)).toEqual(['a', 'a', 'b']);
});

test('what the service keeps is sent once: after a break, a pause and a pause of one file the next attempt goes on there', async () => {
  const { queue, attempts, states } = await setUpSending();
  const sent = () => queue.getState().uploads[0]?.sent;
  expect(attempts[0]?.address).toBeNull();
  attempts[0]?.onAddress('/uploads/1');
  attempts[0]?.onSent(6, 4);
  attempts[0]?.end({ outcome: 'interrupted' });
  await settle();
  expect([states(), sent()]).toEqual([['interrupted'], 4]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(attempts[1]?.address).toBe('/uploads/1');
  attempts[1]?.onSent(4, 4);
  await vi.advanceTimersByTimeAsync(1000);
  attempts[1]?.onSent(6, 4);
  expect(queue.getState().uploads[0]).toMatchObject({ speed: 2, keptBefore: 0 });
  queue.pauseOne(1);
  expect(attempts[1]?.signal.aborted).toBe(true);
  expect([states(), sent()]).toEqual([['paused'], 4]);
  await vi.advanceTimersByTimeAsync(60_000);
  queue.resumeOne(1);
  expect(attempts[2]?.address).toBe('/uploads/1');
  queue.pause();
  expect(sent()).toBe(4);
  queue.pauseOne(1);
  queue.resume();
  expect(attempts[3]?.address).toBe('/uploads/1');
  // The service does not have it any more.
  attempts[3]?.onAddress(null);
  attempts[3]?.end({ outcome: 'interrupted' });
  await settle();
  expect(sent()).toBe(0);
});

test('each part that arrives begins the count of interruptions again', async () => {
  const { queue, attempts } = await setUpSending();
  for (let i = 0; i < 12; i++) {
    attempts[i]?.onSent(i + 1, i + 1);
    attempts[i]?.end({ outcome: 'interrupted' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(queue.getState().uploads[0]).toMatchObject({ state: 'sending', interruptions: 1 });
  }
});

test('what an earlier visit began goes on at its address, and what that one sent is no work of this one', async () => {
  const { queue, checks, attempts } = setUp();
  const [file] = files('a') as [File];
  queue.addContinued([{ file, labels: noLabels, sentLabels: noLabels, address: '/uploads/1' }]);
  checks[0]?.end(null);
  await settle();
  expect(attempts[0]?.address).toBe('/uploads/1');
  attempts[0]?.onSent(7, 7);
  attempts[0]?.onSent(9, 7);
  expect(queue.getState().uploads[0]).toMatchObject({ sent: 9, kept: 7, keptBefore: 7 });
});

test('a connection that is back is used at once', async () => {
  const { queue, attempts, states } = await setUpSending();
  attempts[0]?.end({ outcome: 'interrupted', waitSeconds: 100 });
  await settle();
  queue.hurry();
  expect(states()).toEqual(['sending']);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(attempts).toHaveLength(2);
});

test('a cancelled file goes on where it was for ten seconds, then the service forgets it', async () => {
  const { queue, attempts, discarded } = await setUpSending();
  attempts[0]?.onAddress('/uploads/1');
  attempts[0]?.onSent(5, 5);
  queue.cancel(1);
  await vi.advanceTimersByTimeAsync(9999);
  queue.retry(1);
  expect(attempts[1]?.address).toBe('/uploads/1');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(discarded).toEqual([]);
  queue.cancel(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(discarded).toEqual(['/uploads/1']);
  queue.retry(1);
  expect(attempts[2]?.address).toBeNull();
  // Made on the service while the attempt was aborted.
  queue.cancel(1);
  attempts[2]?.onAddress('/uploads/2');
  expect(discarded).toEqual(['/uploads/1', '/uploads/2']);
});

test('what is kept of cancelled files is forgotten when they leave the list, and at once when all are cancelled', async () => {
  const { queue, checks, attempts, discarded } = await setUpSending();
  attempts[0]?.onAddress('/uploads/1');
  queue.cancel(1);
  queue.dismissFinished();
  expect(discarded).toEqual(['/uploads/1']);
  queue.add(files('b'));
  checks[1]?.end(null);
  await settle();
  attempts[1]?.onAddress('/uploads/2');
  queue.cancelAll();
  expect(discarded).toEqual(['/uploads/1', '/uploads/2']);
});

test('an aborted attempt that ends after a resume does not end the newer one', async () => {
  const { queue, attempts, states } = await setUpSending();
  queue.pause();
  queue.resume();
  await settle();
  expect(states()).toEqual(['sending']);
  queue.cancel(1);
  expect(attempts[1]?.signal.aborted).toBe(true);
});

const item = (id: string, changes: Partial<MediaItem>) =>
  ({ id, progress: null, error: null, ...changes }) as MediaItem;

/** A queue with a file that the service has, under its name as identifier. */
async function setUpStored(...names: string[]) {
  const context = setUp();
  context.queue.add(files(...names));
  for (const [i, name] of names.entries()) {
    context.checks[i]?.end(name);
    await settle();
  }
  return context;
}

test('what the service says of items makes them ready, or failed with what a retry can do about it', async () => {
  const { queue, states, retried } = await setUpStored('a', 'b', 'c', 'd');
  const progress = { stage: 'reading' as const, fraction: 0.5 };
  queue.noteItems([item('a', { status: 'indexing', progress }), item('other', { status: 'complete' })], []);
  expect(queue.getState().uploads[0]).toMatchObject({ state: 'indexing', progress });
  queue.noteItems(
    [
      item('a', { status: 'complete' }),
      item('b', { status: 'error', error: { code: 'no_picture', message: 'Only sound.' } }),
      item('c', { status: 'error', error: { code: 'indexing_failed', message: 'It broke off.' } }),
    ],
    ['d'],
  );
  expect(states()).toEqual(['ready', 'failed', 'failed', 'failed']);
  expect(queue.getState().uploads.map(({ failure }) => failure?.retry)).toEqual([undefined, 'never', 'now', 'never']);
  queue.retryFailed();
  await settle();
  expect(retried).toEqual(['c']);
  expect(states()).toEqual(['ready', 'failed', 'indexing', 'failed']);
});

test('all that was not sent is cancelled at once, and nothing of it starts again', async () => {
  const { queue, attempts, states } = await setUpSending();
  queue.add(files('b', 'c'));
  queue.cancelAll();
  expect(attempts[0]?.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(states()).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(attempts).toHaveLength(1);
});

test('a refusal for now is no interruption, and is obeyed', async () => {
  const { queue, attempts } = await setUpSending();
  attempts[0]?.end({ outcome: 'interrupted', waitSeconds: 12, busy: true });
  await vi.advanceTimersByTimeAsync(11_999);
  expect(queue.getState().uploads[0]).toMatchObject({ state: 'interrupted', interruptions: 0 });
  await vi.advanceTimersByTimeAsync(1);
  expect(attempts).toHaveLength(2);
});

test('a new batch takes the place of what has ended well', async () => {
  const { queue, states } = await setUpStored('a', 'b');
  queue.noteItems([item('a', { status: 'complete' })], []);
  queue.add(files('c'));
  expect(states()).toHaveLength(3);
  queue.cancel(3);
  queue.noteItems([item('b', { status: 'error', error: { code: 'indexing_failed', message: 'x' } })], []);
  queue.add(files('d'));
  expect(queue.getState().uploads.map(({ file }) => file.name)).toEqual(['b', 'd']);
});

test('dismissing removes only what has ended', async () => {
  const { queue, checks, states } = await setUpSending();
  queue.add(files('b', 'c'));
  checks[1]?.end('id-b');
  await settle();
  queue.noteItems([item('id-b', { status: 'complete' })], []);
  queue.dismissFinished();
  expect(states()).toEqual(['sending', 'hashing']);
  expect(queue.getState().uploads.map(({ file }) => file.name)).toEqual(['a', 'c']);
});
