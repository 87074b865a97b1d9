import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, CircleAlert, RotateCw, X } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { isUnderWay, mediaItemOptions, mediaKeys } from '../../api/queries.ts';
import { describeStage } from '../../lib/describe-stage.ts';
import { formatBytes, formatPercent, formatTimeLeft } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { cancelUpload, dismissFinished, retryUpload, type Upload, useUploads } from './upload-store.ts';

/** What becomes of each uploaded file, in a corner of every page. */
export function UploadTray() {
  const uploads = useUploads();
  if (uploads.length === 0) return null;
  return (
    <section
      aria-label="Uploads"
      className="fixed right-0 bottom-14 left-0 z-30 border-t border-line bg-surface shadow-float md:right-5 md:bottom-5 md:left-auto md:w-96 md:rounded-card md:border"
    >
      <header className="flex items-center justify-between border-b border-line py-1.5 pr-1.5 pl-4">
        <h2 className="font-semibold">Uploads</h2>
        <Button look="quiet" size="small" onClick={dismissFinished}>
          Clear finished
        </Button>
      </header>
      <ul className="max-h-72 divide-y divide-line overflow-y-auto">
        {uploads.toReversed().map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload }: { upload: Upload }) {
  const { key, file, state } = upload;
  const finished = state === 'failed' || state === 'cancelled';
  return (
    <li className="px-4 py-2.5">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" title={file.name}>
          {file.name}
        </span>
        {state === 'queued' || state === 'sending' ? (
          <Button look="quiet" size="small" onClick={() => cancelUpload(key)} aria-label={`Cancel ${file.name}`}>
            <X aria-hidden />
          </Button>
        ) : null}
        {finished ? (
          <Button look="quiet" size="small" onClick={() => retryUpload(key)} aria-label={`Retry ${file.name}`}>
            <RotateCw aria-hidden />
            Retry
          </Button>
        ) : null}
      </div>
      {state === 'sent' && upload.mediaId ? (
        <Indexing id={upload.mediaId} duplicate={upload.duplicate} name={file.name} />
      ) : (
        <Sending upload={upload} />
      )}
    </li>
  );
}

function Sending({ upload: { state, sent, speed, file, error } }: { upload: Upload }) {
  if (state === 'queued') return <p className="text-xs text-quiet">Waiting · {formatBytes(file.size)}</p>;
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
  useEffect(() => refreshMedia(client), [client]);
  useEffect(() => {
    if (settled) refreshMedia(client);
  }, [client, settled]);

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

function refreshMedia(client: QueryClient): void {
  for (const queryKey of mediaKeys) void client.invalidateQueries({ queryKey });
}
