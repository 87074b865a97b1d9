import { useSyncExternalStore } from 'react';

/**
 * Where a player is, seconds, for parts of a page that follow it. It changes with each frame: what looks at it is drawn again only when
 * what it sees has changed.
 */
export type PlaybackClock = {
  now: () => number;
  set: (time: number) => void;
  subscribe: (listener: () => void) => () => void;
};

export function createClock(): PlaybackClock {
  let time = 0;
  const listeners = new Set<() => void>();
  return {
    now: () => time,
    set(to) {
      time = to;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What is seen at the time of a clock. @param look gives the same value while nothing has changed */
export const useAtTime = <Value>(clock: PlaybackClock, look: (time: number) => Value): Value =>
  useSyncExternalStore(clock.subscribe, () => look(clock.now()));
