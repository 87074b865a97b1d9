import { Check, CircleAlert, Pause, Play, RotateCw, Undo2, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { describeStage } from '../../lib/describe-stage.ts';
import { formatBytes, formatPercent, formatTimeLeft } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { uploadQueue } from './run-uploads.ts';
import { UploadThumbnail } from './upload-thumbnail.tsx';
import { type Failure, type Upload, isOpen } from './upload.ts';

/** What becomes of one file. */
export function UploadRow({ upload, paused }: { upload: Upload; paused: boolean }) {
  const { key, file, state, failure } = upload;
  const canRetry = state === 'failed' && failure?.retry !== 'never';
  return (
    <li className="flex gap-3 px-4 py-2">
      <UploadThumbnail upload={upload} />
      <div className="min-w-0 flex-1">
        <div className="flex min-h-8 items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-medium" title={file.name}>
            {file.name}
          </span>
          {isOpen(upload) ? (
            <>
              {paused ? null : <PauseButton upload={upload} />}
              <IconButton
                icon={X}
                label={`Cancel ${file.name}`}
                size="smallIcon"
                onClick={() => uploadQueue.cancel(key)}
                title="Cancel"
              />
            </>
          ) : null}
          {state === 'cancelled' ? (
            <Button
              variant="quiet"
              size="small"
              onClick={() => uploadQueue.retry(key)}
              aria-label={`Undo cancelling ${file.name}`}
            >
              <Undo2 aria-hidden />
              Undo
            </Button>
          ) : null}
          {canRetry ? (
            <Button
              variant="quiet"
              size="small"
              onClick={() => uploadQueue.retry(key)}
              aria-label={`Retry ${file.name}`}
            >
              <RotateCw aria-hidden />
              Retry
            </Button>
          ) : null}
        </div>
        <State upload={upload} paused={paused} />
      </div>
    </li>
  );
}

/** Pauses one file alone, so that others come first. */
function PauseButton({ upload: { key, state, file } }: { upload: Upload }) {
  const isPaused = state === 'paused';
  return (
    <Button
      variant="quiet"
      size="smallIcon"
      onClick={() => (isPaused ? uploadQueue.resumeOne(key) : uploadQueue.pauseOne(key))}
      aria-label={`${isPaused ? 'Resume' : 'Pause'} ${file.name}`}
      title={isPaused ? 'Resume' : 'Pause'}
    >
      {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
    </Button>
  );
}

function State({ upload, paused }: { upload: Upload; paused: boolean }) {
  const { state, file, hashed, kept, failure, progress, duplicate } = upload;
  const online = useOnline();
  if (state === 'failed') return <FailedState failure={failure} />;
  if (state === 'ready') return <ReadyState upload={upload} />;
  if (state === 'sending') return <SendingState upload={upload} />;
  if (state === 'indexing') {
    return (
      <div className="space-y-1.5">
        <ProgressBar fraction={progress?.fraction ?? 0} label={`Processing ${file.name}`} />
        <p className="text-xs text-quiet tabular-nums">
          {duplicate ? 'Already in your library · ' : ''}
          {describeStage(progress)}
        </p>
      </div>
    );
  }
  const size = kept > 0 ? `${formatBytes(kept)} of ${formatBytes(file.size)} sent` : formatBytes(file.size);
  const away = online ? 'The server cannot be reached. Retrying automatically…' : 'You are offline. Goes on by itself.';
  const text = {
    queued: `${paused ? 'Paused' : 'Queued'} · ${size}`,
    paused: `Paused · ${size}`,
    hashing: `Checking your library · ${formatPercent(file.size > 0 ? hashed / file.size : 1)}`,
    interrupted: kept > 0 ? `${away} ${size}` : away,
    cancelled: 'Cancelled',
  }[state];
  return <p className={`text-xs tabular-nums ${state === 'interrupted' ? 'text-danger' : 'text-quiet'}`}>{text}</p>;
}

function SendingState({ upload: { file, sent, speed } }: { upload: Upload }) {
  const fraction = file.size > 0 ? sent / file.size : 1;
  const details = [`Uploading ${formatPercent(fraction)}`];
  // A second's worth of bytes says nothing of the speed yet.
  if (speed > 0) details.push(`${formatBytes(speed)}/s`, formatTimeLeft((file.size - sent) / speed));
  return (
    <div className="space-y-1.5">
      <ProgressBar fraction={fraction} label={`Uploading ${file.name}`} />
      <p className="text-xs text-quiet tabular-nums">{fraction < 1 ? details.join(' · ') : 'Storing…'}</p>
    </div>
  );
}

const ReadyState = ({ upload: { duplicate, mediaId, file } }: { upload: Upload }) => (
  <p className="flex items-center gap-1.5 text-xs text-good">
    <Check className="size-3.5" aria-hidden />
    <span>{duplicate ? 'Already in your library' : 'Ready'}</span>
    <Link
      to={paths.media(mediaId ?? '')}
      className="ml-1 font-medium text-accent hover:underline"
      aria-label={`Open ${file.name}`}
    >
      Open
    </Link>
  </p>
);

const FailedState = ({ failure }: { failure: Failure | null }) => (
  <p role="alert" className="flex gap-1.5 text-xs text-danger">
    <CircleAlert className="mt-px size-3.5 shrink-0" aria-hidden />
    <span>
      {failure?.message ?? 'The upload failed.'}
      {failure?.retry === 'later' ? (
        <>
          {' '}
          <Link to={paths.workspace} className="font-medium underline underline-offset-2">
            See what uses the plan
          </Link>
        </>
      ) : null}
    </span>
  </p>
);

/** Whether the browser has a network. That says nothing of a service on the same machine, so only the reason of a failure goes by it. */
const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const events = ['online', 'offline'];
      for (const event of events) window.addEventListener(event, listener);
      return () => {
        for (const event of events) window.removeEventListener(event, listener);
      };
    },
    () => navigator.onLine,
  );
