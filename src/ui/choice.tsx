import { clsx } from 'clsx';
import type { LucideIcon } from 'lucide-react';

/** A few values of which one is chosen; undefined stands for all. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value | undefined;
  options: { value: Value | undefined; text: string; icon?: LucideIcon; title?: string }[];
  onChange: (value: Value | undefined) => void;
}) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex h-8 shrink-0 rounded-control border border-line bg-surface p-0.5 pointer-coarse:h-11"
    >
      {options.map(({ icon: Icon, ...option }) => (
        <button
          key={option.text}
          type="button"
          aria-pressed={option.value === value}
          title={option.title}
          onClick={() => onChange(option.value)}
          className={clsx(
            'inline-flex h-full items-center gap-1.5 rounded-md px-2.5 text-label font-medium whitespace-nowrap transition-colors',
            option.value === value ? 'bg-raised text-ink' : 'text-quiet hover:text-ink',
          )}
        >
          {Icon ? <Icon className="size-3.5" aria-hidden /> : null}
          {option.text}
        </button>
      ))}
    </div>
  );
}
