import { clsx } from 'clsx';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';

/** Something to do, as a line of a small panel. */
export const PanelAction = ({
  icon: Icon,
  children,
  className,
  ...props
}: ComponentProps<'button'> & { icon: LucideIcon }) => (
  <button
    type="button"
    {...props}
    className={clsx(
      'flex min-h-9 w-full items-center gap-2.5 rounded-control px-2 py-1 text-left transition-colors hover:bg-raised disabled:opacity-50 pointer-coarse:min-h-11',
      className,
    )}
  >
    <Icon className="size-4 shrink-0 text-quiet" aria-hidden />
    <span className="min-w-0 flex-1 truncate">{children}</span>
  </button>
);
