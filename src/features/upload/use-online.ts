import { useSyncExternalStore } from 'react';

/** Whether the browser has a network. That says nothing of a service on the same machine, so only the reason of a failure goes by it. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const events = ['online', 'offline'];
      for (const event of events) window.addEventListener(event, listener);
      return () => {
        for (const event of events) window.removeEventListener(event, listener);
      };
    },
    () => navigator.onLine,
  );
