import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { Dialog, Popover } from 'radix-ui';
import { type ReactNode, type RefObject, useState } from 'react';
import { IconButton } from './button.tsx';

/** Where a panel beside a button would have no room. */
const isPhone = (): boolean => window.matchMedia('(width < 40rem)').matches;

/**
 * A small panel beside the button that opens it; on a phone a sheet at the foot of the screen. It is open as long as it is there, and gives the
 * focus back to the button.
 * @param className of the panel on larger screens, such as its width
 */
export function AnchoredPanel({
  anchor,
  label,
  align = 'start',
  className = 'w-80',
  onClose,
  children,
}: {
  anchor: RefObject<HTMLElement | null>;
  label: string;
  align?: 'start' | 'end';
  className?: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const [asSheet] = useState(isPhone);
  const returnFocus = (event: Event) => {
    event.preventDefault();
    anchor.current?.focus();
  };
  if (asSheet) {
    return (
      <Sheet label={label} returnFocus={returnFocus} onClose={onClose}>
        {children}
      </Sheet>
    );
  }
  return (
    <Popover.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Popover.Anchor virtualRef={anchor} />
      <Popover.Portal>
        <Popover.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={12}
          // The button closes it by itself: its click would open it again.
          onInteractOutside={(event) => {
            if (event.target instanceof Node && anchor.current?.contains(event.target)) event.preventDefault();
          }}
          onOpenAutoFocus={(event) => {
            const field = (event.currentTarget as HTMLElement).querySelector('input');
            if (!field) return;
            event.preventDefault();
            field.focus();
          }}
          onCloseAutoFocus={returnFocus}
          className={clsx(
            'z-50 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-card border border-line bg-surface shadow-float',
            className,
          )}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** It is high at once, so that its head stays where it is while the list changes and above the keys on the screen. */
const Sheet = ({
  label,
  returnFocus,
  onClose,
  children,
}: {
  label: string;
  returnFocus: (event: Event) => void;
  onClose: () => void;
  children: ReactNode;
}) => (
  <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
    <Dialog.Portal>
      <Dialog.Overlay className="dialog-overlay z-50" />
      <Dialog.Content
        aria-describedby={undefined}
        // Keys on the screen would hide half of it: they come when the field is touched.
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          (event.currentTarget as HTMLElement).focus();
        }}
        onCloseAutoFocus={returnFocus}
        className="fixed inset-x-0 bottom-0 z-50 flex h-[80dvh] flex-col overflow-hidden rounded-t-2xl border-t border-line bg-surface shadow-float outline-none"
      >
        <header className="flex shrink-0 items-center justify-between py-2 pr-2 pl-4">
          <Dialog.Title className="text-base font-semibold">{label}</Dialog.Title>
          <Dialog.Close asChild>
            <IconButton icon={X} label="Close" className="pointer-coarse:size-11" />
          </Dialog.Close>
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto pb-4">{children}</div>
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);
