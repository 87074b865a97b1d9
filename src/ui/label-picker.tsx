import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { type Ref, useId, useRef, useState } from 'react';
import { AnchoredPanel } from './anchored-panel.tsx';
import { LabelCombobox, type LabelNames, type LabelOption } from './label-combobox.tsx';

/**
 * The choice of one label, or of none: found by typing, and created in place.
 * @param loading whether the labels are being read: which one is chosen is not known by name yet
 */
export function LabelPicker({
  label,
  value,
  none = 'None',
  loading = false,
  disabled = false,
  className,
  onChange,
  ...choices
}: {
  label: string;
  names: LabelNames;
  /** Its identifier; null for none. */
  value: string | null;
  options: readonly LabelOption[];
  create?: ((name: string) => Promise<LabelOption>) | undefined;
  /** What no label is called; null where there has to be one. */
  none?: string | null;
  loading?: boolean;
  disabled?: boolean;
  className?: string;
  onChange: (id: string | null) => void;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const chosen = choices.options.find((option) => option.id === value);
  const text = value === null ? (none ?? '') : (chosen?.name ?? (loading ? '…' : `Deleted ${choices.names.one}`));
  const change = (next: string | null) => {
    setOpen(false);
    if (next !== value) onChange(next);
  };
  return (
    <div className={clsx('min-w-0', className)}>
      <span id={`${id}-label`} className="font-medium">
        {label}
      </span>
      <PickerButton
        ref={button}
        id={id}
        open={open}
        disabled={disabled}
        quiet={!chosen}
        onClick={() => setOpen(!disabled && !open)}
      >
        {text}
      </PickerButton>
      {open ? (
        <AnchoredPanel anchor={button} label={label} className="w-72" onClose={() => setOpen(false)}>
          <LabelCombobox
            {...choices}
            chosen={value === null ? [] : [value]}
            none={none ?? undefined}
            loading={loading}
            onChoose={(option) => change(option.id)}
            onNone={() => change(null)}
          />
        </AnchoredPanel>
      ) : null}
    </div>
  );
}

function PickerButton({
  id,
  open,
  disabled,
  quiet,
  children,
  ...props
}: {
  ref: Ref<HTMLButtonElement>;
  id: string;
  open: boolean;
  disabled: boolean;
  /** Whether it shows no label. */
  quiet: boolean;
  onClick: () => void;
  children: string;
}) {
  return (
    <button
      {...props}
      type="button"
      id={id}
      // Its label, and what is chosen.
      aria-labelledby={`${id}-label ${id}`}
      aria-haspopup="dialog"
      aria-expanded={open}
      // What has the focus keeps it while the choice is stored.
      aria-disabled={disabled}
      className="mt-1.5 flex h-9 w-full items-center justify-between gap-1.5 rounded-control border border-line bg-surface px-2.5 text-left transition-colors hover:bg-raised aria-disabled:opacity-60 pointer-coarse:h-11"
    >
      <span className={clsx('truncate', quiet && 'text-quiet')}>{children}</span>
      <ChevronDown className="size-4 shrink-0 text-quiet" aria-hidden />
    </button>
  );
}
