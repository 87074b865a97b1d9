import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, CircleAlert, Pause, Play, RotateCw, X } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { refreshLists } from '../../api/follow-items.ts';
import { useLabelOptions } from '../../api/labels.ts';
import { isUnderWay } from '../../api/poll-interval.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { describeStage } from '../../lib/describe-stage.ts';
import { formatBytes, formatPercent, formatTimeLeft } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Select } from '../../ui/select.tsx';
import { isOpen, type Upload } from './upload-queue.ts';
import { uploadQueue, useUploads } from './upload-store.ts';

/** What becomes of each uploaded file, in a corner of every page. */
export function UploadTray() {
  const { uploads, paused } = useUploads();
  return (
    <section
      aria-label="Uploads"
      className="fixed right-0 bottom-foot left-0 z-30 border-t border-line bg-surface shadow-float md:right-5 md:bottom-5 md:left-auto md:w-96 md:rounded-card md:border"
    >
      <header className="flex items-center justify-between border-b border-line py-1.5 pr-1.5 pl-4">
        <h2 className="font-semibold">Uploads</h2>
        <div className="flex">
          {uploads.some(isOpen) ? (
            <Button variant="quiet" size="small" onClick={() => (paused ? uploadQueue.resume() : uploadQueue.pause())}>
              {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
              {paused ? 'Resume' : 'Pause'}
            </Button>
          ) : null}
          <Button variant="quiet" size="small" onClick={() => uploadQueue.dismissFinished()}>
            Clear finished
          </Button>
        </div>
      </header>
      <BatchLabels />
      <ul className="max-h-72 divide-y divide-line overflow-y-auto">
        {uploads.toReversed().map((upload) => (
          <UploadRow key={upload.key} upload={upload} paused={paused} />
        ))}
      </ul>
    </section>
  );
}

/** Creator and category for the files that are still to be sent. */
function BatchLabels() {
  const { uploads, labels } = useUploads();
  const { creators, categories } = useLabelOptions();
  if (!uploads.some(isOpen) || creators.length + categories.length === 0) return null;
  return (
    <div className="flex gap-2 border-b border-line px-4 py-2">
      <Select
        hideLabel
        label="Creator of what is still to be sent"
        value={labels.creator_id}
        options={[{ value: '', text: 'No creator' }, ...creators]}
        onChange={(creator_id) => uploadQueue.setLabels({ creator_id })}
      />
      <Select
        hideLabel
        label="Category of what is still to be sent"
        value={labels.category_id}
        options={[{ value: '', text: 'No category' }, ...categories]}
        onChange={(category_id) => uploadQueue.setLabels({ category_id })}
      />
    </div>
  );
}

function UploadRow({ upload, paused }: { upload: Upload; paused: boolean }) {
  const { key, file, state } = upload;
  const finished = state === 'failed' || state === 'cancelled';
  return (
    <li className="px-4 py-2.5">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" title={file.name}>
          {file.name}
        </span>
        {isOpen(upload) ? (
          <Button
            variant="quiet"
            size="small"
            onClick={() => uploadQueue.cancel(key)}
            aria-label={`Cancel ${file.name}`}
          >
            <X aria-hidden />
          </Button>
        ) : null}
        {finished ? (
          <Button variant="quiet" size="small" onClick={() => uploadQueue.retry(key)} aria-label={`Retry ${file.name}`}>
            <RotateCw aria-hidden />
            Retry
          </Button>
        ) : null}
      </div>
      {state === 'sent' && upload.mediaId ? (
        <Indexing id={upload.mediaId} duplicate={upload.duplicate} name={file.name} />
      ) : (
        <Sending upload={upload} paused={paused} />
      )}
    </li>
  );
}

function Sending({ upload: { state, hashed, sent, speed, file, error }, paused }: { upload: Upload; paused: boolean }) {
  if (state === 'queued') {
    return (
      <p className="text-xs text-quiet">
        {paused ? 'Paused' : 'Waiting'} · {formatBytes(file.size)}
      </p>
    );
  }
  if (state === 'hashing') {
    return (
      <p className="text-xs text-quiet tabular-nums">
        Comparing with what is here · {formatPercent(file.size > 0 ? hashed / file.size : 1)}
      </p>
    );
  }
  if (state === 'interrupted') {
    return <p className="text-xs text-danger">The service cannot be reached. Trying again by itself…</p>;
  }
  if (state === 'cancelled') return <p className="text-xs text-quiet">Cancelled</p>;
  if (state === 'failed') return <Failure message={error ?? 'The upload failed.'} />;
  const fraction = file.size > 0 ? sent / file.size : 1;
  return (
    <div className="mt-1 space-y-1.5">
      <ProgressBar fraction={fraction} label={`Sending ${file.name}`} />
      <p className="text-xs text-quiet tabular-nums">
        {fraction < 1
          ? `Sending ${formatPercent(fraction)} · ${formatBytes(speed)}/s · ${formatTimeLeft((file.size - sent) / speed)}`
          : 'Being stored…'}
      </p>
    </div>
  );
}

/** Watches an item until it can be searched. */
function Indexing({ id, duplicate, name }: { id: string; duplicate: boolean; name: string }) {
  const client = useQueryClient();
  const { data: item } = useQuery(mediaItemOptions(id));
  const settled = item !== undefined && !isUnderWay(item);
  // The library shows it from now on, and searches find it once it is settled.
  useEffect(() => {
    refreshLists();
    // An item that was here already may have got its lost original back.
    void client.invalidateQueries({ queryKey: mediaItemOptions(id).queryKey });
  }, [client, id]);
  if (item?.status === 'error') return <Failure message={item.error?.message ?? 'The file could not be read.'} />;
  if (settled) {
    return (
      <p className="flex items-center gap-1.5 text-xs text-good">
        <Check className="size-3.5" aria-hidden />
        {duplicate ? 'Already here' : 'Ready'}
        <Link to={paths.media(id)} className="ml-1 font-medium text-accent hover:underline" aria-label={`Open ${name}`}>
          Open
        </Link>
      </p>
    );
  }
  return (
    <div className="mt-1 space-y-1.5">
      <ProgressBar fraction={item?.progress?.fraction ?? 0} label={`Indexing ${name}`} />
      <p className="text-xs text-quiet tabular-nums">{describeStage(item?.progress ?? null)}</p>
    </div>
  );
}

function Failure({ message }: { message: string }) {
  return (
    <p role="alert" className="mt-0.5 flex gap-1.5 text-xs text-danger">
      <CircleAlert className="mt-px size-3.5 shrink-0" aria-hidden />
      {message}
    </p>
  );
}
