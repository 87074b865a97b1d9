import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { BookOpen, Ellipsis, LogOut, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { Fragment, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, Navigate, NavLink, Outlet, ScrollRestoration, useLocation, useSearchParams } from 'react-router';
import { apiUrl, connection } from '../api/connection.ts';
import { type Session, switchWorkspaceMutation } from '../api/generated/dashboard/index.ts';
import { lazyPart, loadPart } from '../api/parts.ts';
import { adoptSession, forgetOtherQueries, sessionOptions, signOut } from '../api/session.ts';
import { usePersonKey } from '../api/workspace-key.ts';
import type { BasketMoment } from '../features/basket/basket-moments.ts';
import { Commands } from '../features/commands/commands.tsx';
import { LostPartNotice } from '../features/connection/lost-part-notice.tsx';
import { ReachabilityNotice } from '../features/connection/reachability-notice.tsx';
import { ThrottleNotice } from '../features/connection/throttle-notice.tsx';
import { SearchField } from '../features/search/search-field.tsx';
import { DropAnywhere, UploadButton, useChoosers } from '../features/upload/drop-anywhere.tsx';
import { mayHaveKept } from '../features/upload/kept-uploads.ts';
import { useInterrupted, useUploads } from '../features/upload/upload-store.ts';
import { forgetPerson } from '../forget-person.ts';
import { type Theme, themes, useTheme } from '../lib/theme.ts';
import { destinations } from '../navigation.ts';
import { paths } from '../paths.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { FirstLoad } from '../ui/first-load.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { Select } from '../ui/select.tsx';

/** Asks for a sign-in, except where another service is shown by its key. */
export function Layout() {
  const session = useQuery({ ...sessionOptions, enabled: !connection });
  const location = useLocation();
  if (connection) return <Frame session={null} />;
  if (session.isPending) return <FirstLoad />;
  if (session.data) return <Frame session={session.data} />;
  if (session.isError) return <QueryFailure error={session.error} onRetry={() => void session.refetch()} />;
  return <Navigate to={paths.signIn} replace state={{ from: location.pathname + location.search }} />;
}

/**
 * The frame of every page: menu, search field, uploads.
 * @param session null while another service is shown
 */
function Frame({ session }: { session: Session | null }) {
  return (
    <DropAnywhere>
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <MainMenu session={session} />
      <div className="pb-16 md:pb-0 md:pl-menu">
        <ReachabilityNotice />
        <ThrottleNotice />
        <LostPartNotice />
        <TopBar />
        <main id="main" tabIndex={-1} className="px-4 py-5 outline-none md:px-6 md:py-6">
          <Outlet />
        </main>
      </div>
      <Uploads />
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

/** The pages: at the side, or at the foot of a phone's screen. */
function MainMenu({ session }: { session: Session | null }) {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-surface md:inset-y-0 md:right-auto md:w-menu md:flex-col md:overflow-y-auto md:border-t-0 md:border-r md:p-3"
    >
      <p className="hidden items-center gap-2.5 px-2 pt-1 pb-5 text-title font-semibold md:flex">
        <img src="/favicon.svg" alt="" className="size-6" />
        Media Search
      </p>
      {destinations.map(({ to, text, icon: Icon, more }) => (
        <Fragment key={to}>
          <NavLink
            to={to}
            className={({ isActive }) =>
              clsx(
                footEntry,
                more && 'max-md:hidden',
                isActive ? 'text-accent md:bg-accent-soft' : 'text-quiet hover:text-ink md:hover:bg-raised',
              )
            }
          >
            <Icon className="size-4.5 md:size-4" aria-hidden />
            {text}
          </NavLink>
          {nested[to] ? (
            <div className="max-md:hidden">
              <Suspense>{nested[to]}</Suspense>
            </div>
          ) : null}
        </Fragment>
      ))}
      <MoreButton session={session} />
      <div className="mt-auto hidden border-t border-line pt-3 md:block">
        {session ? <WorkspaceChoice session={session} /> : <OtherService />}
        <div className="flex gap-1">
          <GlobalButtons session={session} />
        </div>
      </div>
    </nav>
  );
}

const footEntry =
  'flex h-foot flex-1 flex-col items-center justify-center gap-1 text-xs font-medium md:h-9 md:flex-none md:flex-row md:justify-start md:gap-2.5 md:rounded-control md:px-2.5 md:text-sm';

/** Loaded after the page: a phone does not show it. */
const MenuCollections = lazyPart(async () => (await import('../features/groups/menu-collections.tsx')).MenuCollections);

const MenuSavedSearches = lazyPart(
  async () => (await import('../features/saved-searches/menu-saved-searches.tsx')).MenuSavedSearches,
);

/** What stands below a page in the menu at the side. */
const nested: Record<string, ReactNode> = {
  [paths.savedSearches]: <MenuSavedSearches />,
  [paths.collections]: <MenuCollections />,
};

/** Loaded when it is opened. */
const MoreSheet = lazyPart(async () => (await import('../features/menu/more-sheet.tsx')).MoreSheet);

/** On a phone, the way to the pages for which its foot has no room. */
function MoreButton({ session }: { session: Session | null }) {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const isActive = destinations.some(({ to, more }) => more && pathname.startsWith(to));
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
        className={clsx(footEntry, 'md:hidden', isActive ? 'text-accent' : 'text-quiet hover:text-ink')}
      >
        <Ellipsis className="size-4.5" aria-hidden />
        More
      </button>
      {open ? (
        <Suspense>
          <MoreSheet onClose={() => setOpen(false)}>
            <GlobalButtons session={session} />
          </MoreSheet>
        </Suspense>
      ) : null}
    </>
  );
}

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
          <Suspense fallback={<span className="size-9 pointer-coarse:size-11" />}>
            <MentionBell />
          </Suspense>
        )}
        <UploadButton compact />
      </div>
    </header>
  );
}

const GlobalButtons = ({ session }: { session: Session | null }) => (
  <>
    <ThemeButton />
    <ReferenceLink />
    {session ? <SignOutButton /> : null}
  </>
);

const themeLooks: Record<Theme, { icon: LucideIcon; text: string }> = {
  system: { icon: Monitor, text: 'System' },
  light: { icon: Sun, text: 'Light' },
  dark: { icon: Moon, text: 'Dark' },
};

function ThemeButton() {
  const [theme, setTheme] = useTheme();
  const { icon: Icon, text } = themeLooks[theme];
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const label = `Theme: ${text}. Switch to ${themeLooks[next].text}`;
  return <IconButton icon={Icon} label={label} onClick={() => setTheme(next)} />;
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
      ...(type === 'video' ? { start, end } : {}),
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
  const isOfOther = uploads.length > 0 ? sender !== person : interrupted.some((kept) => kept.person !== person);
  useEffect(() => {
    if (person === '' || (!isOfOther && !mayHaveKept())) return;
    loadPart(() => import('../features/upload/interrupted.ts'))
      .then(({ offerInterrupted }) => offerInterrupted(person))
      // They are offered when the page is opened next time.
      .catch(() => undefined);
  }, [person, isOfOther]);
  if (isOfOther || (uploads.length === 0 && interrupted.length === 0)) return null;
  return (
    <Suspense>
      <UploadTray />
    </Suspense>
  );
}

function AllCommands() {
  return <Commands {...useChoosers()} />;
}

/** The name of the workspace; a choice for members of several. */
function WorkspaceChoice({ session: { workspace, workspaces } }: { session: Session }) {
  const client = useQueryClient();
  const change = useMutation({
    ...switchWorkspaceMutation(),
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      // What is shown belongs to another workspace.
      forgetOtherQueries(client);
      window.location.assign(paths.library);
    },
  });
  if (workspaces.length < 2) return <p className="truncate px-2.5 pb-2 text-xs text-quiet">{workspace.name}</p>;
  return (
    <Select
      hideLabel
      label="Workspace"
      value={workspace.id}
      options={workspaces.map(({ id, name }) => ({ value: id, text: name }))}
      disabled={change.isPending}
      onChange={(id) => change.mutate({ body: { workspace_id: id } })}
      className="px-1 pb-2"
    />
  );
}

const OtherService = () => (
  <Link to={paths.settings('connection')} className="block truncate px-2.5 pb-2 text-xs text-accent hover:underline">
    {new URL(apiUrl).host}
  </Link>
);

/** The service itself serves this page, so the router does not know it. */
const ReferenceLink = () => (
  <Button asChild variant="quiet" size="icon">
    <a href="/reference" aria-label="API reference" title="API reference">
      <BookOpen aria-hidden />
    </a>
  </Button>
);

function SignOutButton() {
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: () => signOut(),
    onSuccess: () => {
      void forgetPerson();
      client.setQueryData(sessionOptions.queryKey, null);
      // What this person saw is not for the next one.
      forgetOtherQueries(client);
    },
  });
  return <IconButton icon={LogOut} label="Sign out" onClick={() => leave.mutate()} />;
}
