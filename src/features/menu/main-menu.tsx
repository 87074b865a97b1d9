import { clsx } from 'clsx';
import { Ellipsis } from 'lucide-react';
import { Fragment, type ReactNode, Suspense, useState } from 'react';
import { NavLink, useLocation } from 'react-router';
import { lazyPart } from '../../api/parts.ts';
import { destinations } from '../../navigation.ts';

/**
 * The pages: at the foot of a phone's screen, in a narrow rail on a tablet, in a menu at the side of a desktop.
 * @param nested what stands below a page at the side of a desktop, by its path
 */
export function MainMenu({
  nested,
  account,
  renderMore,
}: {
  nested: Record<string, ReactNode>;
  /** Opens the menu of the account, at the foot of rail and menu. */
  account: ReactNode;
  /** The same entries in the sheet of a phone, which `close` closes. */
  renderMore: (close: () => void) => ReactNode;
}) {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:inset-y-0 md:right-auto md:w-rail md:flex-col md:overflow-y-auto md:border-t-0 md:border-r md:px-1.5 md:py-3 lg:w-menu lg:p-3"
    >
      <p className="hidden items-center gap-2.5 px-2 pt-1 pb-5 text-title font-semibold md:flex md:justify-center lg:justify-start">
        <img src="/favicon.svg" alt="" className="size-7 lg:size-6" />
        <span className="max-lg:sr-only">Media Search</span>
      </p>
      {destinations.map(({ to, text, icon: Icon, more: isMore }) => (
        <Fragment key={to}>
          <NavLink
            to={to}
            className={({ isActive }) =>
              clsx(
                entry,
                isMore && 'max-md:hidden',
                isActive ? 'text-accent md:bg-accent-soft' : 'text-quiet hover:text-ink md:hover:bg-raised',
              )
            }
          >
            <Icon className="size-5 shrink-0 lg:size-4" aria-hidden />
            <span className="line-clamp-2 max-w-full text-center leading-tight lg:text-left">{text}</span>
          </NavLink>
          {nested[to] ? (
            <div className="max-lg:hidden">
              <Suspense>{nested[to]}</Suspense>
            </div>
          ) : null}
        </Fragment>
      ))}
      <MoreButton renderEntries={renderMore} />
      <div className="mt-auto hidden border-t border-line pt-2 md:block">{account}</div>
    </nav>
  );
}

const entry =
  'flex h-foot min-w-0 flex-1 flex-col items-center justify-center gap-1 text-xs font-medium transition-colors duration-quick md:flex-none md:rounded-control md:px-0.5 lg:h-9 lg:flex-row lg:justify-start lg:gap-2.5 lg:px-2.5 lg:text-sm';

/** Loaded when it is opened. */
const MoreSheet = lazyPart(async () => (await import('./more-sheet.tsx')).MoreSheet);

/** On a phone, the way to the pages for which its foot has no room. */
function MoreButton({ renderEntries }: { renderEntries: (close: () => void) => ReactNode }) {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const close = () => setOpen(false);
  const isActive = destinations.some(({ to, more }) => more && pathname.startsWith(to));
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
        className={clsx(entry, 'md:hidden', isActive ? 'text-accent' : 'text-quiet hover:text-ink')}
      >
        <Ellipsis className="size-5" aria-hidden />
        More
      </button>
      {open ? (
        <Suspense>
          <MoreSheet onClose={close}>{renderEntries(close)}</MoreSheet>
        </Suspense>
      ) : null}
    </>
  );
}
