import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

/** Something that is on or off. */
export function Toggle({
  pressed,
  onChange,
  title,
  children,
}: {
  pressed: boolean;
  onChange: (pressed: boolean) => void;
  title?: string;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      title={title}
      onClick={() => onChange(!pressed)}
      className={clsx(
        'inline-flex h-8 shrink-0 items-center gap-1.5 rounded-control border px-2.5 text-label font-medium whitespace-nowrap transition-colors',
        pressed ? 'border-accent bg-accent-soft text-accent' : 'border-line bg-surface text-quiet hover:text-ink',
      )}
    >
      {pressed ? <Check className="size-3.5" aria-hidden /> : null}
      {children}
    </button>
  );
}
