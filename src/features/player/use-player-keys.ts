import { useEffect, useEffectEvent } from 'react';

/** What each key does while a clip is open. */
export type PlayerKeys = Record<string, () => void>;

/** Runs the action of a key, unless it is typed into a field or is part of a shortcut of the browser. */
export function usePlayerKeys(keys: PlayerKeys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Space presses a button that has the focus.
    if (event.key === ' ' && target instanceof HTMLButtonElement) return;
    const action = keys[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}
