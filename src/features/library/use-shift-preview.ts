import { type RefObject, useEffect } from 'react';
import type { GestureTarget } from './grid-gestures.tsx';
import { positionOf } from './use-grid-keys.ts';

/** Shows which items a press with Shift would select, while Shift is held and the pointer is over a card. */
export function useShiftPreview(target: RefObject<GestureTarget>): void {
  useEffect(() => {
    let over: number | null = null;
    let isShown = false;
    const show = (shift: boolean) => {
      const { anchor, onPreview } = target.current;
      const from = anchor.current;
      const shows = shift && from !== null && over !== null;
      if (shows) onPreview([[Math.min(from, over ?? from), Math.max(from, over ?? from)]]);
      else if (isShown) onPreview([]);
      isShown = shows;
    };
    const onOver = (event: PointerEvent) => {
      const isCard = event.target instanceof Element && target.current.grid.current?.contains(event.target);
      over = isCard && event.target instanceof Element ? positionOf(event.target) : null;
      if (event.shiftKey || isShown) show(event.shiftKey && event.buttons === 0);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Shift' && !event.repeat) show(event.type === 'keydown');
    };
    // What was shown is selected.
    const onClick = () => show(false);
    const hide = () => show(false);
    document.addEventListener('pointerover', onOver);
    document.addEventListener('keydown', onKey);
    document.addEventListener('keyup', onKey);
    document.addEventListener('click', onClick);
    window.addEventListener('blur', hide);
    return () => {
      document.removeEventListener('pointerover', onOver);
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('keyup', onKey);
      document.removeEventListener('click', onClick);
      window.removeEventListener('blur', hide);
    };
  }, [target]);
}
