import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
// Another tab changed something.
window.addEventListener('storage', notify);

function notify(): void {
  for (const listener of listeners) listener();
}

/**
 * A text that this browser keeps, null when there is none; and how to change it. All who use the same name see the change at once.
 */
export function useStoredText(name: string): [string | null, (text: string | null) => void] {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readText(name),
  );
  return [text, (next) => storeText(name, next)];
}

export const readText = (name: string): string | null => localStorage.getItem(name);

export function storeText(name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // The browser's storage is full: what was stored before stays, and what the page does besides goes on.
  }
  notify();
}
