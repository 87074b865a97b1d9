import { useRef } from 'react';

/**
 * Where the focus goes when a dialog without a trigger of its own closes: to what had it when the dialog opened.
 * @param find what has it instead, such as the card of what the dialog shows by then; null where there is none
 * @returns handlers for the content of a Radix dialog
 */
export function useReturnFocus(find: () => HTMLElement | null = () => null) {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: (): void => {
      opener.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event): void => {
      event.preventDefault();
      const target = find() ?? opener.current;
      if (target instanceof HTMLElement) target.focus();
    },
  };
}
