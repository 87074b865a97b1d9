import { useSyncExternalStore } from 'react';
import { client } from './client.ts';

const { throttle } = client.transport;

/** When the API takes requests again, in milliseconds of `Date.now`; 0: now. */
export const usePausedUntil = (): number => useSyncExternalStore(throttle.subscribe, () => throttle.pausedUntil);
