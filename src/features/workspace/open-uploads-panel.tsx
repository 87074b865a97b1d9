import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { isNotSupported } from '../../../clients/typescript/api-error.ts';
import type { OpenUpload } from '../../api/generated/api/index.ts';
import { openUploadsOptions, useDiscardUploads } from '../../api/uploads.ts';
import { formatBytes, formatCount, formatDate } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Panel, PanelSkeleton } from '../../ui/panel.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { toast } from '../../ui/toast.ts';

/** The uploads that have not ended: what they reserve, the people who began them, and the way to end them. Nothing where the service does not list them. */
export function OpenUploadsPanel() {
  const uploads = useQuery(openUploadsOptions);
  const panel = useRef<HTMLDivElement>(null);
  if (isNotSupported(uploads.error)) return null;
  const open = uploads.data ?? [];
  const onDiscarded = () => {
    panel.current?.focus();
    toast.success('Discarded.');
  };
  return (
    // Has the focus when the row that had it is gone.
    <div ref={panel} tabIndex={-1} className="rounded-card">
      <Panel
        title="Open uploads"
        description="Files that have not arrived whole. Their full sizes count for the plan until they arrive, expire or are discarded."
        action={open.length > 1 ? <DiscardAllButton uploads={open} onDiscarded={onDiscarded} /> : null}
      >
        {uploads.isPending ? <PanelSkeleton rows={1} /> : null}
        {uploads.isError && !uploads.data ? (
          <QueryFailure error={uploads.error} onRetry={() => void uploads.refetch()} />
        ) : null}
        {uploads.data?.length === 0 ? <p className="text-quiet">There are none.</p> : null}
        {open.length === 0 ? null : (
          <ul aria-label="Open uploads" className="-mr-2 max-h-96 divide-y divide-line overflow-y-auto pr-2">
            {open.map((upload) => (
              <UploadRow key={upload.id} upload={upload} onDiscarded={onDiscarded} />
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}

/** Sum of the full sizes. */
const reservedBy = (uploads: readonly OpenUpload[]): string =>
  formatBytes(uploads.reduce((sum, { length }) => sum + length, 0));

function DiscardAllButton({ uploads, onDiscarded }: { uploads: readonly OpenUpload[]; onDiscarded: () => void }) {
  const discard = useDiscardUploads(onDiscarded);
  return (
    <ConfirmDialog
      trigger={<Button disabled={discard.isPending}>Discard all</Button>}
      title={`Discard ${formatCount(uploads.length)} open uploads?`}
      confirm="Discard all"
      onConfirm={() => discard.mutate(uploads.map(({ id }) => id))}
    >
      This frees {reservedBy(uploads)} of the plan. What has arrived is deleted, and senders have to start again.
    </ConfirmDialog>
  );
}

function UploadRow({ upload, onDiscarded }: { upload: OpenUpload; onDiscarded: () => void }) {
  const { id, filename, offset, length, sending, created_by, created_at, expires_at } = upload;
  const discard = useDiscardUploads(onDiscarded);
  const received = `${formatBytes(offset)} of ${formatBytes(length)}`;
  return (
    <li className="flex items-center gap-4 py-3">
      <div className="min-w-0 flex-1 space-y-1.5">
        <p className="items-baseline gap-3 sm:flex">
          <span className="block min-w-0 flex-1 truncate font-medium" title={filename}>
            {filename}
          </span>
          <span className="shrink-0 text-xs text-quiet tabular-nums">
            {received}
            {sending ? ' · sending now' : ''}
          </span>
        </p>
        <ProgressBar fraction={offset / length} label={`Received of ${filename}`} />
        <p className="text-xs leading-relaxed text-quiet tabular-nums">
          Started {formatDate(created_at)} {created_by === null ? 'by a script' : `by ${created_by}`} · Expires{' '}
          {formatDate(expires_at)}
        </p>
      </div>
      <ConfirmDialog
        trigger={
          <Button size="small" aria-label={`Discard ${filename}`} disabled={discard.isPending}>
            Discard
          </Button>
        }
        title="Discard this upload?"
        confirm="Discard"
        onConfirm={() => discard.mutate([id])}
      >
        This frees {formatBytes(length)} of the plan. What has arrived of {filename} is deleted
        {sending ? ', and its sender has to start again' : ''}.
      </ConfirmDialog>
    </li>
  );
}
