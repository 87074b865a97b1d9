import { useSyncExternalStore } from 'react';

let reachable = true;
const listeners = new Set<() => void>();

/** Tells whether the service answered the last request. */
export function noteReachable(now: boolean): void {
  if (now === reachable) return;
  reachable = now;
  for (const listener of listeners) listener();
}

/** Whether the service answered the last request. */
export const isReachable = (): boolean => reachable;

/** Whether the service answered the last request; renders again when that changes. */
export const useReachable = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => reachable,
  );
