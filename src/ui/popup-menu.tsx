import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { Fragment, type RefObject, useRef } from 'react';
import { menuLooks } from './menu-item.ts';

/** What a menu has: something to do, something that is on or off, or a choice of one of several. */
export type MenuEntry =
  | { kind: 'action'; text: string; icon?: LucideIcon; onSelect: () => void }
  | { kind: 'check'; text: string; about?: string; checked: boolean; onChange: (checked: boolean) => void }
  | {
      kind: 'choice';
      label: string;
      value: string;
      options: readonly { value: string; text: string }[];
      onChange: (value: string) => void;
    };

/** A menu below the button that opens it. It is open as long as it is there, and gives the focus back to the button. */
export function PopupMenu({
  anchor,
  label,
  entries,
  onClose,
}: {
  anchor: RefObject<HTMLElement | null>;
  label: string;
  entries: readonly MenuEntry[];
  onClose: () => void;
}) {
  const chosen = useRef<(() => void) | null>(null);
  return (
    <DropdownMenu.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      {/* The button is loaded before this. */}
      <DropdownMenu.Trigger asChild>
        <span aria-hidden className="pointer-events-none absolute inset-0" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          collisionPadding={12}
          aria-label={label}
          aria-labelledby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            anchor.current?.focus();
            // After that: a dialog that it opens gives the focus back to what has it now.
            chosen.current?.();
          }}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) w-60 max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-card border border-line bg-surface p-1 shadow-float"
        >
          {entries.map((entry, i) => (
            <Fragment key={entry.kind === 'choice' ? entry.label : entry.text}>
              {i > 0 && entry.kind === 'choice' ? <DropdownMenu.Separator className="my-1 h-px bg-line" /> : null}
              <Entry entry={entry} onAction={(action) => (chosen.current = action)} />
            </Fragment>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Entry({ entry, onAction }: { entry: MenuEntry; onAction: (action: () => void) => void }) {
  if (entry.kind === 'action') {
    const { text, icon: Icon, onSelect } = entry;
    return (
      <DropdownMenu.Item onSelect={() => onAction(onSelect)} className={menuLooks.item}>
        {Icon ? <Icon className="size-4 shrink-0 text-quiet" aria-hidden /> : <span className="size-4" />}
        {text}
      </DropdownMenu.Item>
    );
  }
  if (entry.kind === 'check') {
    const { text, about, checked, onChange } = entry;
    return (
      <DropdownMenu.CheckboxItem
        checked={checked}
        onCheckedChange={onChange}
        // The menu stays: several can be changed.
        onSelect={(event) => event.preventDefault()}
        className={menuLooks.item}
      >
        <Indicator />
        <span className="min-w-0 flex-1">
          {text}
          {about === undefined ? null : <span className="block text-xs text-quiet">{about}</span>}
        </span>
      </DropdownMenu.CheckboxItem>
    );
  }
  const { label, value, options, onChange } = entry;
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={menuLooks.item}>
          <Indicator />
          {option.text}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

const Indicator = () => (
  <span className="size-4 shrink-0 text-accent">
    <DropdownMenu.ItemIndicator>
      <Check className="size-4" aria-hidden />
    </DropdownMenu.ItemIndicator>
  </span>
);
