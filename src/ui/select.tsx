import { clsx } from 'clsx';
import { useId } from 'react';

/** A choice from a list, by the browser's own control: it works by keyboard, by voice and on a phone. */
export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
  hideLabel = false,
  className,
  disabled,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; text: string }[];
  onChange: (value: Value) => void;
  hideLabel?: boolean;
  className?: string;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    // Positioned: the hidden label must not leave a line that scrolls.
    <div className={clsx('relative', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value as Value)}
        className={clsx(
          'rounded-control border border-line bg-surface pl-2.5 disabled:opacity-60',
          hideLabel ? 'h-8 max-w-48 pr-1 text-label font-medium' : 'mt-1.5 h-9 w-full pr-7',
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}
