import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/**
 * A line of small controls, such as the filters of a list. Where they do not fit it breaks; on a phone it scrolls to the side instead.
 * It is positioned, so that what is hidden in a control scrolls with it and does not widen the page.
 */
export const ControlRow = ({ className, children }: { className?: string; children: ReactNode }) => (
  // The margin gives the outline of a focused control room, which scrolling would cut off.
  <div
    className={clsx(
      'relative -mx-4 mb-4 flex [scrollbar-width:none] gap-2 overflow-x-auto px-4 py-1 md:mx-0 md:flex-wrap md:overflow-visible md:px-0',
      className,
    )}
  >
    {children}
  </div>
);
