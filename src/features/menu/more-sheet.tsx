import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { destinations } from '../../navigation.ts';
import { IconButton } from '../../ui/button.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';

/** The pages for which the foot of a phone's screen has no room. It is open as long as it is there. */
export function MoreSheet({
  onClose,
  children,
}: {
  onClose: () => void;
  /** What stands below the pages. */
  children: ReactNode;
}) {
  const focus = useReturnFocus();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-overlay z-40" />
        <Dialog.Content
          {...focus}
          aria-describedby={undefined}
          className="fixed inset-x-0 bottom-0 z-40 max-h-[85dvh] overflow-y-auto rounded-t-2xl border-t border-line bg-surface p-4 pb-6 shadow-float"
        >
          <header className="mb-1 flex items-center justify-between">
            <Dialog.Title className="px-2 text-base font-semibold">More</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton icon={X} label="Close" />
            </Dialog.Close>
          </header>
          <nav aria-label="More pages">
            {destinations
              .filter(({ more }) => more)
              .map(({ to, text, icon: Icon }) => (
                <NavLink
                  key={to}
                  to={to}
                  onClick={onClose}
                  className={({ isActive }) =>
                    clsx(
                      'flex h-11 items-center gap-3 rounded-control px-2 text-base',
                      isActive ? 'bg-accent-soft text-accent' : 'hover:bg-raised',
                    )
                  }
                >
                  <Icon className="size-5" aria-hidden />
                  {text}
                </NavLink>
              ))}
          </nav>
          <div className="mt-2 border-t border-line pt-2">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
