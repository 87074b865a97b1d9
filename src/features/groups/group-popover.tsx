import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';

/** A small panel beside the button that opens it. */
export const GroupPopover = ({
  trigger,
  label,
  open,
  onOpenChange,
  children,
}: {
  trigger: ReactNode;
  label: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
}) => (
  <Popover.Root open={open} onOpenChange={onOpenChange}>
    <Popover.Trigger asChild>{trigger}</Popover.Trigger>
    <Popover.Portal>
      <Popover.Content
        aria-label={label}
        sideOffset={6}
        collisionPadding={12}
        align="start"
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          (event.currentTarget as HTMLElement).querySelector('input')?.focus();
        }}
        className="z-40 w-[min(20rem,calc(100vw-1.5rem))] overflow-hidden rounded-card border border-line bg-surface shadow-float"
      >
        {children}
      </Popover.Content>
    </Popover.Portal>
  </Popover.Root>
);
