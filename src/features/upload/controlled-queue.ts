import { expect, vi } from 'vitest';
import { UploadQueue } from './upload-queue.ts';
import type { SendReport, SendRequest, SendResult, UploadTransport } from './upload-transport.ts';

type Attempt = SendRequest & {
  /** Tells of bytes of which the service keeps nothing, unless it is said how many. */
  onSent: (sent: number, kept?: number) => void;
  onAddress: SendReport['address'];
  signal: AbortSignal;
  end: (result: SendResult) => void;
};
type Check = { file: File; onHashed: (bytes: number) => void; signal: AbortSignal; end: (id: string | null) => void };

/** A queue whose checks and attempts end when the test says so. */
export function setUp() {
  const checks: Check[] = [];
  const attempts: Attempt[] = [];
  const stored: string[] = [];
  const retried: string[] = [];
  const discarded: string[] = [];
  const relabelled: Parameters<UploadTransport['relabel']>[] = [];
  const queue = new UploadQueue(
    {
      findStored: (file, onHashed, signal) =>
        new Promise((end) => {
          checks.push({ file, onHashed, signal, end });
          signal.addEventListener('abort', () => end(null));
        }),
      send: (request, report, signal) =>
        new Promise((end) => {
          const onSent = (sent: number, kept = 0) => report.progress(sent, kept);
          attempts.push({ ...request, onSent, onAddress: report.address, signal, end });
          signal.addEventListener('abort', () => end({ outcome: 'interrupted' }));
        }),
      discard: (address) => discarded.push(address),
      onStored: ({ mediaId }) => stored.push(mediaId),
      relabel: (...change) => relabelled.push(change),
      retryIndexing: (mediaId) => {
        retried.push(mediaId);
        return Promise.resolve();
      },
    },
    'visit',
  );
  const states = () => queue.getState().uploads.map(({ state }) => state);
  return { queue, checks, attempts, states, stored, retried, discarded, relabelled };
}

export const files = (...names: string[]) => names.map((name) => new File(['0123456789'], name));
/** Lets everything that has ended take effect. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** A queue with one file that is being sent. */
export async function setUpSending() {
  const context = setUp();
  context.queue.add(files('a'));
  context.checks[0]?.end(null);
  await settle();
  expect(context.states()).toEqual(['sending']);
  return context;
}
