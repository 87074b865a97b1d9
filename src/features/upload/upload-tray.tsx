import { Bell, ChevronDown, ChevronUp, Pause, Play, RotateCw, X } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { formatCount, formatTimeLeft } from '../../lib/format.ts';
import { useStoredText } from '../../lib/stored-state.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { toast } from '../../ui/toast.ts';
import { type BatchSummary, chooseShown, describeEnd, fractionDone, measureWork, summarise } from './batch.ts';
import { InterruptedOffer, describeInterrupted } from './interrupted-offer.tsx';
import { uploadQueue } from './run-uploads.ts';
import { TimeLeft } from './time-left.ts';
import { UploadRow } from './upload-row.tsx';
import { useInterrupted, useUploads } from './upload-store.ts';
import { type Upload, isActive } from './upload.ts';

/** Files that are listed; of thousands the others are counted. */
const maxRows = 100;

/** What becomes of each uploaded file, in a corner of every page. */
export function UploadTray() {
  const { uploads, paused } = useUploads();
  const interrupted = useInterrupted();
  const [collapsed, setCollapsed] = useStoredText('uploads collapsed');
  const summary = summarise(uploads);
  const running = summary.active > 0 && !paused;
  const timeLeft = useTimeLeft(running);
  useBatchNotice(uploads);
  useTitleCount(summary.active > 0 ? `${summary.ready}/${summary.total}` : null);
  const { shown, more } = chooseShown(uploads, maxRows);
  const open = collapsed === null;
  return (
    <section
      aria-label="Uploads"
      className="fixed right-0 bottom-foot left-0 z-30 border-t border-line bg-surface shadow-float md:right-5 md:bottom-5 md:left-auto md:w-96 md:rounded-card md:border"
    >
      <header className="flex items-center gap-1 py-1.5 pr-1.5 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold tabular-nums">
          {uploads.length === 0 ? describeInterrupted(interrupted.length) : describeSummary(summary)}
          {timeLeft === null || !running ? null : (
            <span className="font-normal text-quiet"> · {formatTimeLeft(timeLeft)}</span>
          )}
          {paused && summary.open > 0 ? <span className="font-normal text-quiet"> · Paused</span> : null}
        </h2>
        <IconButton
          label={open ? 'Collapse uploads' : 'Expand uploads'}
          expanded={open}
          onClick={() => setCollapsed(open ? 'yes' : null)}
        >
          {open ? <ChevronDown aria-hidden /> : <ChevronUp aria-hidden />}
        </IconButton>
        {summary.active === 0 && interrupted.length === 0 ? (
          <IconButton label="Close uploads" onClick={() => uploadQueue.dismissFinished()}>
            <X aria-hidden />
          </IconButton>
        ) : null}
      </header>
      {summary.active > 0 ? <ProgressBar fraction={fractionDone(uploads)} label="All uploads" /> : null}
      {open ? (
        <>
          {interrupted.length > 0 ? <InterruptedOffer interrupted={interrupted} titled={uploads.length === 0} /> : null}
          <Actions summary={summary} paused={paused} />
          {uploads.length > 0 ? (
            <ul className="max-h-72 divide-y divide-line overflow-y-auto border-t border-line max-md:max-h-[40dvh]">
              {shown.map((upload) => (
                <UploadRow key={upload.key} upload={upload} paused={paused} />
              ))}
              {more > 0 ? <li className="px-4 py-2.5 text-xs text-quiet">and {formatCount(more)} more</li> : null}
            </ul>
          ) : null}
        </>
      ) : null}
    </section>
  );
}

/** `42 of 165 · 3 failed`, or once all has ended `162 ready · 3 failed`. */
function describeSummary({ total, ready, failed, active }: BatchSummary): string {
  const bits = [
    active > 0
      ? `${formatCount(ready)} of ${formatCount(total)}`
      : total === 0
        ? 'Cancelled'
        : `${formatCount(ready)} ready`,
  ];
  if (failed > 0) bits.push(`${formatCount(failed)} failed`);
  return bits.join(' · ');
}

function IconButton({
  label,
  expanded,
  onClick,
  children,
}: {
  label: string;
  expanded?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Button
      variant="quiet"
      size="smallIcon"
      aria-label={label}
      title={label}
      aria-expanded={expanded}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

/** What can be done with all of them. */
function Actions({
  summary: { open, retryable, active, total, ready },
  paused,
}: {
  summary: BatchSummary;
  paused: boolean;
}) {
  const canClear = active > 0 && (ready > 0 || total > active);
  if (open === 0 && retryable === 0 && !canClear) return null;
  return (
    <div className="flex flex-wrap gap-1 px-1.5 py-1.5">
      {open > 0 ? (
        <Button variant="quiet" size="small" onClick={() => (paused ? uploadQueue.resume() : uploadQueue.pause())}>
          {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {paused ? 'Resume all' : 'Pause all'}
        </Button>
      ) : null}
      {open > 0 ? <CancelAll open={open} /> : null}
      {retryable > 0 ? (
        <Button variant="quiet" size="small" onClick={() => uploadQueue.retryFailed()}>
          <RotateCw aria-hidden />
          Retry {formatCount(retryable)} failed
        </Button>
      ) : null}
      {open > 1 ? <AllowNotice /> : null}
      {canClear ? (
        <Button variant="quiet" size="small" onClick={() => uploadQueue.dismissFinished()} aria-label="Clear finished">
          Clear
        </Button>
      ) : null}
    </div>
  );
}

/** Asks first: what was chosen would have to be found and sent again. */
const CancelAll = ({ open }: { open: number }) => (
  <ConfirmDialog
    trigger={
      <Button variant="quiet" size="small">
        <X aria-hidden />
        Cancel all
      </Button>
    }
    title={`Cancel ${formatCount(open)} ${open === 1 ? 'upload' : 'uploads'}?`}
    confirm="Cancel uploads"
    onConfirm={() => uploadQueue.cancelAll()}
  >
    Files that are uploaded already stay in your library.
  </ConfirmDialog>
);

/** Asks the browser for notifications, when the person wants one. */
function AllowNotice() {
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  if (permission !== 'default') return null;
  return (
    <Button
      variant="quiet"
      size="small"
      onClick={() => void Notification.requestPermission().then(setPermission)}
      title="Get a notification when all files are ready"
    >
      <Bell aria-hidden />
      Notify me
    </Button>
  );
}

/** Tells once all uploads have ended: on the page and, where the person allowed it, by the system while the page is hidden. */
function useBatchNotice(uploads: readonly Upload[]): void {
  const navigate = useNavigate();
  const told = useRef<ReadonlySet<number>>(new Set());
  const active = uploads.some(isActive);
  const tell = useEffectEvent(() => {
    const ended = uploads.filter(({ key, state }) => !told.current.has(key) && state !== 'cancelled');
    told.current = new Set(uploads.map(({ key }) => key));
    const text = describeEnd(ended);
    // The row of a single file shows it already.
    const hidden = document.visibilityState === 'hidden';
    if (text === null || (ended.length < 2 && !hidden)) return;
    const view = () => void navigate(paths.library);
    toast.success(text, { action: { label: 'View', onClick: view }, duration: 10_000 });
    if (hidden) notifyBySystem(text, view);
  });
  useEffect(() => {
    if (!active) tell();
  }, [active]);
}

function notifyBySystem(text: string, onClick: () => void): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const notification = new Notification('Media Search', { body: text, tag: 'uploads' });
    notification.addEventListener('click', () => {
      window.focus();
      onClick();
    });
  } catch {
    // Some phones take notifications from service workers only.
  }
}

/** Seconds until all uploads are indexed, as far as that is known. */
function useTimeLeft(running: boolean): number | null {
  const [seconds, setSeconds] = useState<number | null>(null);
  useEffect(() => {
    if (!running) return undefined;
    const estimate = new TimeLeft();
    const timer = setInterval(
      () => setSeconds(estimate.update(Date.now(), measureWork(uploadQueue.getState().uploads))),
      1000,
    );
    return () => {
      clearInterval(timer);
      setSeconds(null);
    };
  }, [running]);
  return seconds;
}

const prefix = /^\(\d[^)]*\) /;

/** Puts a count in front of the title of the page, such as `(42/165) Library`, for a user on another tab. Null: none. */
function useTitleCount(count: string | null): void {
  useEffect(() => {
    if (count === null) return undefined;
    const show = () => {
      const title = `(${count}) ${document.title.replace(prefix, '')}`;
      if (document.title !== title) document.title = title;
    };
    show();
    // Pages set their own titles.
    const observer = new MutationObserver(show);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      document.title = document.title.replace(prefix, '');
    };
  }, [count]);
}
