import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';
import type { Session } from '../../api/generated/dashboard/index.ts';
import { AccountEntries } from './account-entries.tsx';

/** The menu of the account over its button. It is open as long as it is there. */
export const AccountMenu = ({
  session,
  onClose,
  forget,
  children,
}: {
  session: Session | null;
  onClose: () => void;
  forget: () => Promise<void>;
  /** The button. */
  children: ReactNode;
}) => (
  <Popover.Root open onOpenChange={(open) => !open && onClose()}>
    <Popover.Anchor asChild>{children}</Popover.Anchor>
    <Popover.Portal>
      <Popover.Content
        side="top"
        align="start"
        sideOffset={6}
        collisionPadding={8}
        aria-label="Account"
        className="z-40 w-72 rounded-card border border-line bg-surface p-2 shadow-float"
      >
        <AccountEntries session={session} onDone={onClose} forget={forget} />
      </Popover.Content>
    </Popover.Portal>
  </Popover.Root>
);
