import { clsx } from 'clsx';
import { type LucideIcon, X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { formatCount } from '../lib/format.ts';
import { Button, IconButton } from './button.tsx';

/**
 * The bar at the foot of a list in which something is selected: how much, what can be done with it, and the way out. It is one row at every width, and
 * keeps the foot of the list free.
 */
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
  <>
    <div className="h-20" aria-hidden />
    <section
      aria-label="Selection"
      className="fixed inset-x-0 bottom-foot z-20 flex h-14 items-center gap-1 border-t border-line bg-surface px-1.5 shadow-float sm:gap-1.5 sm:px-2.5 md:inset-x-auto md:bottom-5 md:left-1/2 md:w-max md:max-w-[calc(100vw-6rem)] md:-translate-x-1/2 md:rounded-card md:border"
    >
      <IconButton icon={X} label="Clear selection" className="pointer-coarse:size-11" onClick={onClear} />
      <p className="min-w-0 truncate font-medium tabular-nums" aria-live="polite">
        {formatCount(count)} <span className="max-[24rem]:sr-only">selected</span>
      </p>
      {count < total ? (
        <Button
          variant="quiet"
          size="small"
          className="max-sm:px-1.5 pointer-coarse:h-11"
          aria-label={`Select all ${formatCount(total)}`}
          onClick={onSelectAll}
        >
          <span className="max-lg:hidden">Select all {formatCount(total)}</span>
          <span className="lg:hidden">All</span>
        </Button>
      ) : null}
      <span className="ml-auto flex shrink-0 items-center sm:gap-1">{children}</span>
    </section>
  </>
);

/** An action of the bar: an icon, with its name where there is room. */
export const SelectionAction = ({
  icon: Icon,
  label,
  shortcut,
  className,
  ...props
}: Omit<ComponentProps<typeof Button>, 'children'> & { icon: LucideIcon; label: string; shortcut?: string }) => (
  <Button
    variant="quiet"
    size="small"
    aria-label={label}
    title={shortcut === undefined ? label : `${label} (${shortcut.toUpperCase()})`}
    {...(shortcut === undefined ? {} : { 'aria-keyshortcuts': shortcut })}
    {...props}
    className={clsx('text-ink max-xl:w-9 max-xl:px-0 pointer-coarse:h-11 max-xl:pointer-coarse:w-11', className)}
  >
    <Icon aria-hidden />
    <span className="max-xl:hidden">{label}</span>
  </Button>
);
