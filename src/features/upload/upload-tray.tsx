import { Bell, ChevronDown, CloudCheck, Pause, Play, RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { formatCount, formatTimeLeft } from '../../lib/format.ts';
import { useStoredText } from '../../lib/stored-state.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { BatchLabels } from './batch-labels.tsx';
import { type BatchSummary, chooseShown, fractionDone, summarise } from './batch.ts';
import { useBatchNotice, useTimeLeft, useTitleCount } from './follow-batch.ts';
import { InterruptedOffer, describeInterrupted } from './interrupted-offer.tsx';
import { uploadQueue } from './run-uploads.ts';
import { SkippedFiles } from './skipped-files.tsx';
import { UploadRow } from './upload-row.tsx';
import { publishedSkipped, useInterrupted, useSkipped, useUploads } from './upload-store.ts';
import type { Upload } from './upload.ts';

/** Files that are listed; of thousands the others are counted. */
const maxRows = 100;

/**
 * What becomes of each uploaded file: a button in the bar at the top, and what it opens. That stands beside the page, or on a narrow screen below it,
 * and covers nothing: the frame of the page leaves room for what is marked by `data-tray`.
 */
export function UploadTray() {
  const { uploads, paused } = useUploads();
  const interrupted = useInterrupted();
  const [collapsed, setCollapsed] = useStoredText('uploads collapsed');
  const summary = summarise(uploads);
  const running = summary.active > 0 && !paused;
  const timeLeft = useTimeLeft(running);
  useBatchNotice(uploads);
  useTitleCount(summary.active > 0 ? `${summary.ready}/${summary.total}` : null);
  const open = collapsed === null;
  const text =
    uploads.length > 0
      ? describeSummary(summary)
      : interrupted.length > 0
        ? describeInterrupted(interrupted.length)
        : 'Not sent';
  return (
    <section aria-label="Uploads" className="contents">
      <TrayButton
        text={text}
        fraction={summary.active > 0 ? fractionDone(uploads) : null}
        open={open}
        onClick={() => setCollapsed(open ? 'yes' : null)}
      />
      {open ? <Panel text={text} timeLeft={running ? timeLeft : null} onCollapse={() => setCollapsed('yes')} /> : null}
    </section>
  );
}

/** @param timeLeft seconds; null: unknown, or nothing goes on */
function Panel({ text, timeLeft, onCollapse }: { text: string; timeLeft: number | null; onCollapse: () => void }) {
  const { uploads, paused } = useUploads();
  const interrupted = useInterrupted();
  const skipped = useSkipped();
  const summary = summarise(uploads);
  return (
    <div
      data-tray
      className="fixed inset-x-0 bottom-foot z-20 flex max-h-[45dvh] flex-col border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:bottom-0 md:left-rail lg:inset-y-0 lg:right-0 lg:left-auto lg:max-h-none lg:w-tray lg:border-t-0 lg:border-l"
    >
      <header className="flex items-center gap-1 py-2 pr-2 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold tabular-nums">
          {text}
          {timeLeft === null ? null : <span className="font-normal text-quiet"> · {formatTimeLeft(timeLeft)}</span>}
          {paused && summary.open > 0 ? <span className="font-normal text-quiet"> · Paused</span> : null}
        </h2>
        <IconButton icon={ChevronDown} label="Collapse uploads" size="smallIcon" onClick={onCollapse} />
        {summary.active === 0 && interrupted.length === 0 ? (
          <IconButton icon={X} label="Close uploads" size="smallIcon" onClick={close} />
        ) : null}
      </header>
      {summary.active > 0 ? <ProgressBar fraction={fractionDone(uploads)} label="All uploads" /> : null}
      <div className="min-h-0 flex-1 overflow-y-auto">
        <SkippedFiles files={skipped} />
        {interrupted.length > 0 ? <InterruptedOffer interrupted={interrupted} titled={uploads.length === 0} /> : null}
        <BatchLabels uploads={uploads} />
        <Actions summary={summary} paused={paused} />
        <Rows uploads={uploads} paused={paused} />
      </div>
    </div>
  );
}

/** Forgets what has ended, and what was not sent. */
function close(): void {
  uploadQueue.dismissFinished();
  publishedSkipped.set([]);
}

/** How far all are, in the bar at the top. */
const TrayButton = ({
  text,
  fraction,
  open,
  onClick,
}: {
  text: string;
  /** 0 to 1; null: nothing is under way. */
  fraction: number | null;
  open: boolean;
  onClick: () => void;
}) => (
  <Button
    variant={open ? 'pressed' : 'quiet'}
    aria-expanded={open}
    aria-label={open ? `Uploads: ${text}` : `Expand uploads: ${text}`}
    title={text}
    onClick={onClick}
    className="px-2.5"
  >
    {fraction === null ? <CloudCheck aria-hidden /> : <Ring fraction={fraction} />}
    <span className="tabular-nums max-md:sr-only">{text}</span>
  </Button>
);

const radius = 6.5;

const Ring = ({ fraction }: { fraction: number }) => (
  <svg viewBox="0 0 16 16" className="-rotate-90" aria-hidden>
    <circle cx="8" cy="8" r={radius} fill="none" stroke="var(--line)" strokeWidth="2.5" />
    <circle
      cx="8"
      cy="8"
      r={radius}
      fill="none"
      stroke="var(--accent)"
      strokeWidth="2.5"
      pathLength={1}
      strokeDasharray={`${fraction} 1`}
      strokeLinecap="round"
    />
  </svg>
);

function Rows({ uploads, paused }: { uploads: readonly Upload[]; paused: boolean }) {
  const { shown, more } = chooseShown(uploads, maxRows);
  if (uploads.length === 0) return null;
  return (
    <ul className="divide-y divide-line border-t border-line">
      {shown.map((upload) => (
        <UploadRow key={upload.key} upload={upload} paused={paused} />
      ))}
      {more > 0 ? <li className="px-4 py-2.5 text-xs text-quiet">and {formatCount(more)} more</li> : null}
    </ul>
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
