import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { useReturnFocus } from './return-focus.ts';

/** Something to read over the page, under a title and with a way to close it. It is open as long as it is there. */
export function ClosableDialog({
  title,
  description,
  wide = false,
  onClose,
  children,
}: {
  title: string;
  description?: ReactNode;
  /** `widest`: room for two videos side by side. */
  wide?: boolean | 'widest';
  onClose: () => void;
  children: ReactNode;
}) {
  const focus = useReturnFocus();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-overlay z-50" />
        <Dialog.Content
          {...focus}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={clsx(
            'fixed top-1/2 left-1/2 z-50 max-h-[90dvh] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-float',
            wide === 'widest'
              ? 'w-[min(64rem,calc(100vw-2rem))]'
              : wide
                ? 'w-[min(42rem,calc(100vw-2rem))]'
                : 'w-[min(30rem,calc(100vw-2rem))]',
          )}
        >
          <header className="flex items-center justify-between">
            <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton icon={X} label="Close" />
            </Dialog.Close>
          </header>
          {description === undefined ? null : (
            <Dialog.Description className="mt-1 leading-relaxed text-quiet">{description}</Dialog.Description>
          )}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
