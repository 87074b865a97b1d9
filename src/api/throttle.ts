import { useSyncExternalStore } from 'react';

/** When the API takes requests again, in milliseconds of `Date.now`; 0: now. A key has one limit, so one pause holds for all requests. */
let pausedUntil = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const notify = () => {
  for (const listener of listeners) listener();
};

/** Seconds that a response asks to wait (RFC 9110, 10.2.3: seconds or a date); null when it does not say. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** Lets no request go to the API for so many seconds; a pause that lasts longer stays. */
export function pauseRequests(seconds: number): void {
  const until = Date.now() + 1000 * seconds;
  if (until <= pausedUntil) return;
  pausedUntil = until;
  clearTimeout(timer);
  timer = setTimeout(() => {
    pausedUntil = 0;
    notify();
  }, 1000 * seconds);
  notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when the API takes requests. Throws the signal's reason when that aborts first. */
export function whenAllowed(signal?: AbortSignal | null): Promise<void> {
  if (pausedUntil === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const abort = () => {
      unsubscribe();
      reject(signal?.reason as Error);
    };
    const unsubscribe = subscribe(() => {
      if (pausedUntil > 0) return;
      unsubscribe();
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}

/** When the pause ends, in milliseconds of `Date.now`; 0 when there is none. */
export const usePausedUntil = (): number => useSyncExternalStore(subscribe, () => pausedUntil);
