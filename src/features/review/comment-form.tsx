import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** The frame of a text that is being written: its field, its buttons, and why it was refused. */
export const CommentForm = ({
  label,
  error,
  onSubmit,
  className,
  children,
}: {
  label: string;
  error: Error | null;
  onSubmit: () => void;
  className?: string;
  children: ReactNode;
}) => (
  <form
    aria-label={label}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
    className={clsx('rounded-control border border-line bg-canvas focus-within:border-accent', className)}
  >
    {children}
    {error ? (
      <p role="alert" className="px-3 pb-2 text-xs text-danger">
        {error.message}
      </p>
    ) : null}
  </form>
);
