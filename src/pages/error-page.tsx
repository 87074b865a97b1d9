import { CloudOff, Compass, RefreshCw, TriangleAlert } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation, useNavigate, useRouteError } from 'react-router';
import { checkVersion, isPartError } from '../api/parts.ts';
import { LibraryLink } from '../features/library/library-link.tsx';
import { useUploads } from '../features/upload/upload-store.ts';
import { isOpen } from '../features/upload/upload.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** What is shown instead of a page that broke or could not be loaded. The menu and the uploads around it stay. */
export function ErrorPage() {
  const error = useRouteError();
  const retry = useRetry();
  if (isPartError(error)) return <UnloadedPage lost={error.lost} onRetry={retry} />;
  return (
    <Notice
      page
      icon={TriangleAlert}
      title="Something went wrong"
      action={
        <Button variant="primary" onClick={retry}>
          Try again
        </Button>
      }
    >
      {error instanceof Error ? error.message : 'Something unexpected happened.'}
    </Notice>
  );
}

/** Opens the page again, without losing what is around it. */
function useRetry(): () => void {
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  return () => void navigate({ pathname, search, hash }, { replace: true, preventScrollReset: true });
}

/** How often the service is asked whether it has the page, ms. */
const retryMs = 2000;

/**
 * Opens the page as soon as the service has it, by loading the whole dashboard again where that is needed, but never while files wait to
 * be sent: they would be lost.
 * @param lost whether the page cannot be loaded otherwise
 */
function UnloadedPage({ lost, onRetry }: { lost: boolean; onRetry: () => void }) {
  const [version, setVersion] = useState<'away' | 'same' | 'other'>('away');
  const uploading = useUploads().uploads.some(isOpen);
  const needsReload = version === 'other' || (version === 'same' && lost);
  const retry = useEffectEvent(onRetry);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    const look = async () => {
      const found = await checkVersion();
      if (ended) return;
      setVersion(found);
      if (found === 'away') timer = setTimeout(() => void look(), retryMs);
      if (found === 'same' && !lost) retry();
    };
    void look();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [lost]);
  useEffect(() => {
    if (needsReload && !uploading) reloadOnce();
  }, [needsReload, uploading]);
  if (needsReload) return <ReloadNotice newer={version === 'other'} uploading={uploading} />;
  return (
    <Notice
      page
      icon={CloudOff}
      title="This page could not be loaded"
      action={<Button onClick={onRetry}>Try again</Button>}
    >
      The server does not answer. Retrying automatically…
    </Notice>
  );
}

const ReloadNotice = ({ newer, uploading }: { newer: boolean; uploading: boolean }) => (
  <Notice
    page
    icon={RefreshCw}
    title={newer ? 'A new version of Media Search is ready' : 'This page could not be loaded'}
    action={
      <Button variant="primary" onClick={() => window.location.reload()}>
        Reload now
      </Button>
    }
  >
    {uploading
      ? 'It opens by itself when your uploads are finished. Reloading now stops them.'
      : 'Reload the dashboard to open it.'}
  </Notice>
);

/** In the session storage: when this tab was last reloaded by itself, so that it does not go on doing so where that does not help. */
const reloadedAt = 'reloaded at';
const reloadPauseMs = 60_000;

function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(reloadedAt)) < reloadPauseMs) return;
  sessionStorage.setItem(reloadedAt, String(Date.now()));
  window.location.reload();
}

export function NotFoundPage() {
  return (
    <Notice page icon={Compass} title="Page not found" action={<LibraryLink />}>
      The address may be wrong, or the page no longer exists.
    </Notice>
  );
}
