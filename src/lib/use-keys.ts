import { type RefObject, useEffect, useEffectEvent } from 'react';

/** What keys do. A letter stands for itself in either case; with Shift its name, and that of an arrow, begins with `Shift+`. */
export type Keys = Record<string, () => void>;

/** Keys by which a slider is moved. */
const sliderKeys = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown']);

/**
 * Runs the action of a key, unless it is typed into a field, moves a slider, is part of a shortcut of the browser, or is meant for a dialog.
 * @param owner what the keys belong to; where it is in a dialog they are meant for that one
 * @param isFirst whether they come before the same keys of other parts of the page
 */
export function useKeys(keys: Keys, owner?: RefObject<HTMLElement | null>, isFirst = false): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isTyped(event)) return;
    const dialog = event.target instanceof Element ? event.target.closest('[role=dialog], [role=alertdialog]') : null;
    if (dialog && !dialog.contains(owner?.current ?? null)) return;
    // AltGr writes characters on many keyboards, and counts as Ctrl and Alt.
    if ((event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph')) return;
    // Space presses a button that has the focus.
    if (event.key === ' ' && event.target instanceof HTMLButtonElement) return;
    const action = keys[nameOf(event)];
    if (!action) return;
    action();
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener, isFirst);
    return () => window.removeEventListener('keydown', listener, isFirst);
  }, [isFirst]);
}

function isTyped({ target, key }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement && target.type === 'range') return sliderKeys.has(key);
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

function nameOf({ key, shiftKey }: KeyboardEvent): string {
  const isLetter = /^\p{L}$/u.test(key);
  const name = isLetter ? key.toLowerCase() : key;
  return shiftKey && (isLetter || key.startsWith('Arrow')) ? `Shift+${name}` : name;
}
