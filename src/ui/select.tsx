import { clsx } from 'clsx';
import { Check, ChevronDown } from 'lucide-react';
import { Select as Listbox } from 'radix-ui';
import { type KeyboardEvent, useId, useState } from 'react';

type Option<Value extends string> = { value: Value; text: string };

/** The primitive takes no empty value, which stands for none here. */
const toKey = (value: string): string => `=${value}`;

/** Letters find an option. They are not for the page, where they would be shortcuts. */
const keepLetters = (event: KeyboardEvent) => {
  if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation();
};

/**
 * A choice from a list that is short enough to be read. It opens by click, arrow or letter, and a letter finds what begins with it.
 * @param className of the whole
 * @param triggerClassName of the button, such as its width
 */
export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
  hideLabel = false,
  className,
  triggerClassName,
  disabled = false,
}: {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  hideLabel?: boolean;
  className?: string;
  triggerClassName?: string;
  disabled?: boolean;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    // Positioned: the hidden label must not leave a line that scrolls.
    <div className={clsx('relative', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      <Listbox.Root
        open={open}
        onOpenChange={setOpen}
        value={toKey(value)}
        onValueChange={(key) => onChange(key.slice(1) as Value)}
        disabled={disabled}
      >
        <Listbox.Trigger
          id={id}
          onKeyDown={keepLetters}
          className={clsx(
            'inline-flex items-center justify-between gap-1.5 rounded-control border border-line bg-surface pl-2.5 text-left transition-colors hover:bg-raised disabled:opacity-60 pointer-coarse:h-11',
            hideLabel ? 'h-8 max-w-48 pr-1.5 text-label font-medium' : 'mt-1.5 h-9 w-full pr-2.5',
            triggerClassName,
          )}
        >
          <span className="truncate">{options.find((option) => option.value === value)?.text}</span>
          <ChevronDown className="size-4 shrink-0 text-quiet" aria-hidden />
        </Listbox.Trigger>
        {/* In full screen only what is inside of it can be seen. */}
        <Listbox.Portal container={document.fullscreenElement}>
          <Options options={options} />
        </Listbox.Portal>
      </Listbox.Root>
    </div>
  );
}

const Options = ({ options }: { options: readonly Option<string>[] }) => (
  <Listbox.Content
    position="popper"
    sideOffset={4}
    collisionPadding={12}
    onKeyDown={keepLetters}
    className="z-50 max-h-[min(22rem,var(--radix-select-content-available-height))] max-w-[calc(100vw-1.5rem)] min-w-(--radix-select-trigger-width) overflow-hidden rounded-card border border-line bg-surface shadow-float"
  >
    <Listbox.Viewport className="p-1">
      {options.map((option) => (
        <Listbox.Item
          key={option.value}
          value={toKey(option.value)}
          className="flex h-9 cursor-pointer items-center gap-2 rounded-control pr-3 pl-2 outline-none data-highlighted:bg-raised data-[state=checked]:text-accent pointer-coarse:h-11"
        >
          <span className="size-4 shrink-0">
            <Listbox.ItemIndicator>
              <Check className="size-4" aria-hidden />
            </Listbox.ItemIndicator>
          </span>
          <span className="min-w-0 truncate">
            <Listbox.ItemText>{option.text}</Listbox.ItemText>
          </span>
        </Listbox.Item>
      ))}
    </Listbox.Viewport>
  </Listbox.Content>
);
