import { useEffect, useState } from 'react';

const secondsUntil = (time: number) => Math.max(0, Math.ceil((time - Date.now()) / 1000));

/** Whole seconds until a time that does not change, counted down; 0 from then on. `until` is in milliseconds of `Date.now`. */
export function useSecondsLeft(until: number): number {
  const [seconds, setSeconds] = useState(() => secondsUntil(until));
  useEffect(() => {
    if (seconds === 0) return undefined;
    // When the number that is shown changes.
    const timer = setTimeout(() => setSeconds(secondsUntil(until)), until - Date.now() - 1000 * (seconds - 1));
    return () => clearTimeout(timer);
  }, [until, seconds]);
  return seconds;
}
