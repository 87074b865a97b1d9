import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { type ReactNode, Suspense, useEffect } from 'react';
import { Navigate, Outlet, ScrollRestoration, useLocation, useSearchParams } from 'react-router';
import { connection } from '../api/connection.ts';
import type { Session } from '../api/generated/dashboard/index.ts';
import { lazyPart, loadPart } from '../api/parts.ts';
import { sessionOptions } from '../api/session.ts';
import { usePersonKey } from '../api/workspace-key.ts';
import type { BasketMoment } from '../features/basket/basket-moments.ts';
import { Commands } from '../features/commands/commands.tsx';
import { LostPartNotice } from '../features/connection/lost-part-notice.tsx';
import { ReachabilityNotice } from '../features/connection/reachability-notice.tsx';
import { ThrottleNotice } from '../features/connection/throttle-notice.tsx';
import { AccountButton } from '../features/menu/account-button.tsx';
import { MainMenu } from '../features/menu/main-menu.tsx';
import { SearchField } from '../features/search/search-field.tsx';
import { useSearchByImage } from '../features/search/use-search-by-image.ts';
import { DropAnywhere, UploadButton, useChoosers } from '../features/upload/drop-anywhere.tsx';
import { mayHaveKept } from '../features/upload/kept-uploads.ts';
import { useInterrupted, useSkipped, useUploads } from '../features/upload/upload-store.ts';
import { forgetPerson } from '../forget-person.ts';
import { paths } from '../paths.ts';
import { FirstLoad } from '../ui/first-load.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** Asks for a sign-in, except where another service is shown by its key. */
export function Layout() {
  const session = useQuery({ ...sessionOptions, enabled: !connection });
  const location = useLocation();
  if (connection) return <Frame session={null} />;
  if (session.data) return <Frame session={session.data} />;
  if (session.isPending || session.isError) {
    return (
      <>
        <ReachabilityNotice />
        {session.isPending ? (
          <FirstLoad />
        ) : (
          <QueryFailure error={session.error} onRetry={() => void session.refetch()} />
        )}
      </>
    );
  }
  return <Navigate to={paths.signIn} replace state={{ from: location.pathname + location.search }} />;
}

/**
 * The frame of every page: menu, search field, uploads.
 * @param session null while another service is shown
 */
function Frame({ session }: { session: Session | null }) {
  const searchByImage = useSearchByImage();
  // An item fills the window.
  const isViewer = useLocation().pathname.startsWith(paths.media(''));
  return (
    <DropAnywhere onSearchByImage={searchByImage}>
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      {isViewer ? null : (
        <MainMenu
          nested={nested}
          account={<AccountButton session={session} forget={forgetPerson} />}
          renderMore={(close) => (
            <Suspense>
              <AccountEntries session={session} forget={forgetPerson} onDone={close} />
            </Suspense>
          )}
        />
      )}
      <div
        className={
          isViewer
            ? 'flex h-dvh flex-col bg-black'
            : 'pb-16 max-lg:has-[[data-tray]]:pb-[50dvh] md:pb-0 md:pl-rail lg:pl-menu lg:has-[[data-tray]]:pr-tray'
        }
      >
        <ReachabilityNotice />
        <ThrottleNotice />
        <LostPartNotice />
        {isViewer ? null : <TopBar />}
        <main
          id="main"
          tabIndex={-1}
          className={clsx('outline-none', isViewer ? 'min-h-0 flex-1' : 'px-4 py-5 md:px-6 md:py-6')}
        >
          <Outlet />
        </main>
      </div>
      <Suspense>
        <MatchNotices />
      </Suspense>
      <AllCommands />
      {/* The library is scrolled to where it was also by a link to it, not by the browser's Back alone. */}
      <ScrollRestoration
        getKey={({ pathname, search, key }) =>
          pathname === paths.library || pathname.startsWith(paths.collections) ? pathname + search : key
        }
      />
    </DropAnywhere>
  );
}

/** Loaded after the page: a phone does not show it. */
const MenuCollections = lazyPart(async () => (await import('../features/groups/menu-collections.tsx')).MenuCollections);

const MenuSavedSearches = lazyPart(
  async () => (await import('../features/saved-searches/menu-saved-searches.tsx')).MenuSavedSearches,
);

const MenuSources = lazyPart(async () => (await import('../features/sources/menu-sources.tsx')).MenuSources);

/** What stands below a page in the menu at the side. */
const nested: Record<string, ReactNode> = {
  [paths.library]: <MenuSources />,
  [paths.savedSearches]: <MenuSavedSearches />,
  [paths.collections]: <MenuCollections />,
};

/** What a phone shows below its other pages. Loaded when that is opened. */
const AccountEntries = lazyPart(async () => (await import('../features/menu/account-entries.tsx')).AccountEntries);

/** Search field, basket and upload. */
function TopBar() {
  const location = useLocation();
  const [search] = useSearchParams();
  return (
    <header className="sticky top-0 z-10 flex items-center gap-3 border-b border-line bg-canvas px-4 py-2.5 md:px-6">
      <SearchField query={location.pathname === paths.search ? (search.get('q') ?? '') : ''} />
      <div className="ml-auto flex items-center gap-1">
        <Suspense>
          <BasketOpener renderExport={(moments) => <ExportBasket moments={moments} />} />
        </Suspense>
        {connection ? null : (
          <Suspense fallback={<span className="size-9 max-md:hidden pointer-coarse:size-11" />}>
            <MentionBell />
          </Suspense>
        )}
        <Uploads />
        <UploadButton />
      </div>
    </header>
  );
}

/** Loaded beside the page: the basket is not opened at once. */
const BasketOpener = lazyPart(async () => (await import('../features/basket/basket-opener.tsx')).BasketOpener);

const MentionBell = lazyPart(async () => (await import('../features/review/mention-bell.tsx')).MentionBell);

const ExportMoments = lazyPart(async () => (await import('../features/export/export-moments.tsx')).ExportMoments);

const ExportBasket = ({ moments }: { moments: BasketMoment[] }) => (
  <ExportMoments
    title="Basket"
    moments={moments.map(({ mediaId, type, start, end, name }) => ({
      media_id: mediaId,
      ...(type !== 'image' ? { start, end } : {}),
      ...(name === '' ? {} : { name }),
    }))}
  />
);

const MatchNotices = lazyPart(async () => (await import('../features/saved-searches/match-notices.tsx')).MatchNotices);

/** Loaded with the first upload. */
const UploadTray = lazyPart(async () => (await import('../features/upload/upload-tray.tsx')).UploadTray);

function Uploads() {
  const person = usePersonKey();
  const { uploads, person: sender } = useUploads();
  const interrupted = useInterrupted();
  const skipped = useSkipped();
  const isOfOther = uploads.length > 0 ? sender !== person : interrupted.some((kept) => kept.person !== person);
  useEffect(() => {
    if (person === '' || (!isOfOther && !mayHaveKept())) return;
    loadPart(() => import('../features/upload/interrupted.ts'))
      .then(({ offerInterrupted }) => offerInterrupted(person))
      // They are offered when the page is opened next time.
      .catch(() => undefined);
  }, [person, isOfOther]);
  if (isOfOther || (uploads.length === 0 && interrupted.length === 0 && skipped.length === 0)) return null;
  return (
    <Suspense>
      <UploadTray />
    </Suspense>
  );
}

function AllCommands() {
  return <Commands {...useChoosers()} />;
}
