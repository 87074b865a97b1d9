import { Suspense, useState } from 'react';
import { apiUrl } from '../../api/connection.ts';
import type { Session } from '../../api/generated/dashboard/index.ts';
import { lazyPart } from '../../api/parts.ts';

/** Loaded when it is opened. */
const AccountMenu = lazyPart(async () => (await import('./account-menu.tsx')).AccountMenu);

/**
 * Says who is signed in, and opens the menu of the account.
 * @param session null while another service is shown
 * @param forget removes what this browser keeps of the person
 */
export function AccountButton({ session, forget }: { session: Session | null; forget: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  const name = session?.person.name ?? 'Another service';
  const button = (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={open}
      title={name}
      onClick={() => setOpen(true)}
      className="flex w-full items-center gap-2.5 rounded-control p-1.5 text-left hover:bg-raised max-lg:justify-center"
    >
      <span
        aria-hidden
        className="grid size-8 shrink-0 place-items-center rounded-full bg-warm-soft text-label font-semibold text-warm uppercase"
      >
        {Array.from(name)[0]}
      </span>
      <span className="min-w-0 flex-1 max-lg:sr-only">
        <span className="sr-only">Account: </span>
        <span className="block truncate text-label font-medium">{name}</span>
        <span className="block truncate text-xs text-quiet">{session?.workspace.name ?? new URL(apiUrl).host}</span>
      </span>
    </button>
  );
  if (!open) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu session={session} forget={forget} onClose={() => setOpen(false)}>
        {button}
      </AccountMenu>
    </Suspense>
  );
}
