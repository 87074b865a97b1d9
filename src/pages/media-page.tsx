import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  ArrowLeft,
  CircleAlert,
  Download,
  FileQuestion,
  RotateCw,
  ScanSearch,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { Link, useNavigate, useParams } from 'react-router';
import { toast } from 'sonner';
import { ApiError } from '../api/client.ts';
import type { MediaItem } from '../api/generated/api/index.ts';
import { chunksOptions, mediaItemOptions } from '../api/queries.ts';
import { LabelEditor } from '../features/library/label-editor.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import { useDeleteMedia, useRetryMedia } from '../features/library/media-actions.ts';
import { StatusBadge } from '../features/library/status-badge.tsx';
import { SpanPlayer } from '../features/player/span-player.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { describeStage } from '../lib/describe-stage.ts';
import { formatBytes, formatDate, formatTime } from '../lib/format.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** One media item: player or image, what is known of it, download, delete. */
export function MediaPage() {
  const { id = '' } = useParams();
  const media = useQuery(mediaItemOptions(id));
  if (media.isError && !media.data) {
    const gone = media.error instanceof ApiError && (media.error.status === 404 || media.error.status === 400);
    if (!gone) return <QueryFailure error={media.error} onRetry={() => void media.refetch()} />;
    return (
      <Notice page icon={FileQuestion} title="There is no such item" action={<LibraryLink />}>
        It may have been deleted.
      </Notice>
    );
  }
  if (!media.data)
    return <div className="aspect-video max-w-4xl animate-pulse rounded-card bg-raised" aria-busy="true" />;
  const item = media.data;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="flex min-w-0 basis-full items-center gap-3 md:flex-1">
          <Button asChild variant="quiet" size="icon">
            <Link to={paths.library} aria-label="Back to the library">
              <ArrowLeft aria-hidden />
            </Link>
          </Button>
          <h1 className="min-w-0 text-lg font-semibold wrap-anywhere md:truncate" title={item.filename}>
            {item.filename}
          </h1>
        </div>
        <ShowRequest of={mediaItemOptions(id)} />
        <Button asChild>
          <a href={item.download_url} download>
            <Download aria-hidden />
            Download
          </a>
        </Button>
        <DeleteButton item={item} />
      </div>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <section aria-label="Preview" className="overflow-hidden rounded-card border border-line bg-surface">
          {item.warning ? (
            <p role="status" className="flex items-start gap-2 bg-danger-soft px-3 py-2 text-danger">
              <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
              {item.warning.message}
            </p>
          ) : null}
          <Preview item={item} />
        </section>
        <Details item={item} />
      </div>
    </>
  );
}

function Preview({ item }: { item: MediaItem }) {
  const retry = useRetryMedia();
  const navigate = useNavigate();
  const chunks = useQuery({ ...chunksOptions(item.id), enabled: item.status === 'complete' && item.type === 'video' });
  if (item.status === 'error') {
    return (
      <Notice
        icon={CircleAlert}
        title="This file could not be indexed"
        action={
          <Button onClick={() => retry.mutate([item.id])} disabled={retry.isPending}>
            <RotateCw aria-hidden />
            Try again
          </Button>
        }
      >
        <p role="alert">{item.error?.message}</p>
      </Notice>
    );
  }
  if (!item.url) {
    return (
      <div className="mx-auto max-w-sm px-6 py-24 text-center">
        <p className="mb-3 font-medium">{describeStage(item.progress)}</p>
        <ProgressBar fraction={item.progress?.fraction ?? 0} label={`Indexing ${item.filename}`} />
        <p className="mt-3 text-quiet">It can be played and searched as soon as this is done.</p>
      </div>
    );
  }
  if (item.type === 'video' && item.duration !== null) {
    return (
      <SpanPlayer
        url={item.url}
        poster={item.thumbnail ?? ''}
        start={0}
        end={item.duration}
        chunks={chunks.data ?? []}
        onFindSimilar={(at) => void navigate(paths.searchLike(item.id, { at }))}
      />
    );
  }
  return (
    <>
      <img src={item.url} alt={item.filename} className="mx-auto max-h-[75dvh] object-contain" />
      <div className="border-t border-line px-3 py-2">
        <Button asChild variant="quiet">
          <Link to={paths.searchLike(item.id)}>
            <ScanSearch aria-hidden />
            Find similar
          </Link>
        </Button>
      </div>
    </>
  );
}

function Details({ item }: { item: MediaItem }) {
  const rows: [string, string | null][] = [
    ['Type', item.mime_type],
    ['Duration', item.duration === null ? null : formatTime(item.duration, true)],
    ['Dimensions', item.width === null ? null : `${item.width} × ${item.height}`],
    ['Size', formatBytes(item.size)],
    ['Chunks', item.chunk_count > 0 ? String(item.chunk_count) : null],
    ['Uploaded', formatDate(item.created_at)],
    ['Indexed', item.indexed_at && formatDate(item.indexed_at)],
    ['SHA-256', `${item.sha256.slice(0, 16)}…`],
  ];
  return (
    <section aria-label="Details" className="rounded-card border border-line bg-surface p-4">
      <div className="mb-3 flex items-center justify-between">
        <h2 className="font-semibold">Details</h2>
        <StatusBadge item={item} />
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {rows.map(([name, value]) =>
          value === null ? null : (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className="truncate text-right tabular-nums" title={name === 'SHA-256' ? item.sha256 : value}>
                {value}
              </dd>
            </div>
          ),
        )}
      </dl>
      <div className="mt-4">
        <LabelEditor item={item} />
      </div>
    </section>
  );
}

function DeleteButton({ item }: { item: MediaItem }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useDeleteMedia(async () => {
    // First away from here: this page would ask for the item again.
    await navigate(paths.library);
    client.removeQueries({ queryKey: mediaItemOptions(item.id).queryKey });
    toast.success(`${item.filename} was deleted.`);
  });
  return (
    <ConfirmDialog
      trigger={
        <Button disabled={remove.isPending}>
          <Trash2 aria-hidden />
          {remove.isPending ? 'Deleting…' : 'Delete'}
        </Button>
      }
      title="Delete this item?"
      confirm="Delete"
      onConfirm={() => remove.mutate([item.id])}
    >
      {item.filename} will be gone from the library and from every search, with the original file. This cannot be
      undone.
    </ConfirmDialog>
  );
}
