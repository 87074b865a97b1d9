import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '../lib/format.ts';
import { Button, IconButton } from './button.tsx';

/** The bar at the foot of a list in which something is selected: how much, what can be done with it, and the way out. */
export const SelectionFrame = ({
  count,
  total,
  onSelectAll,
  onClear,
  children,
}: {
  count: number;
  total: number;
  onSelectAll: () => void;
  onClear: () => void;
  children: ReactNode;
}) => (
  <section
    aria-label="Selection"
    className="fixed inset-x-0 bottom-foot z-20 flex flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-2.5 shadow-float md:inset-x-auto md:bottom-5 md:left-1/2 md:w-max md:max-w-[calc(100vw-15rem)] md:-translate-x-1/2 md:rounded-card md:border"
  >
    <p className="font-medium tabular-nums" aria-live="polite">
      {formatCount(count)} selected
    </p>
    {count < total ? (
      <Button variant="quiet" size="small" onClick={onSelectAll}>
        Select all {formatCount(total)}
      </Button>
    ) : null}
    {children}
    <IconButton icon={X} label="Clear selection" size="smallIcon" onClick={onClear} />
  </section>
);
