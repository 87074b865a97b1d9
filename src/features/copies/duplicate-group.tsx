import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Columns2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link } from 'react-router';
import { copiesOptions, useDismissCopies, useKeepBest, useUndoAll } from '../../api/copies.ts';
import type { Copy, DuplicateGroup, MediaItem } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { countItems, formatBytes, formatTime } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { toast, undoMs } from '../../ui/toast.ts';
import { CopyThumbnail } from './copy-rows.tsx';

/** Items that are the same: which one is kept, and what happens to the others. */
export function DuplicateGroupCard({ group: { best_id, items }, place }: { group: DuplicateGroup; place: number }) {
  const [kept, setKept] = useState(best_id);
  const undo = useUndoAll(() => toast.success('Undone'));
  const keep = useKeepBest((changes) =>
    toast.success(`Kept one, and moved ${countItems(items.length - 1)} to the trash`, {
      duration: undoMs,
      action: { label: 'Undo', onClick: () => undo.mutate(changes) },
    }),
  );
  const takeBack = useDismissCopies(() => undefined);
  const dismiss = useDismissCopies((ids) =>
    toast.success('They are no longer shown as the same', {
      duration: undoMs,
      action: { label: 'Undo', onClick: () => takeBack.mutate({ ids, dismissed: false }) },
    }),
  );
  const ids = items.map(({ id }) => id);
  const best = items.find(({ id }) => id === best_id) as MediaItem;
  const busy = keep.isPending || dismiss.isPending;
  return (
    <li className="rounded-card border border-line bg-surface p-4">
      {/* A fieldset is as wide as the longest name where nothing else is said. */}
      <fieldset disabled={busy} className="min-w-0">
        <legend className="sr-only">Group {place}: which one is kept</legend>
        <div className="space-y-1">
          {items.map((item) => (
            <GroupRow
              key={item.id}
              item={item}
              best={best}
              isBest={item.id === best_id}
              isKept={item.id === kept}
              onKeep={() => setKept(item.id)}
            />
          ))}
        </div>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button
            variant="primary"
            onClick={() => keep.mutate({ keep_id: kept, other_ids: ids.filter((id) => id !== kept) })}
          >
            Keep this one
          </Button>
          <Button onClick={() => dismiss.mutate({ ids, dismissed: true })}>Not the same</Button>
        </div>
      </fieldset>
    </li>
  );
}

function GroupRow({
  item,
  best,
  isBest,
  isKept,
  onKeep,
}: {
  item: MediaItem;
  best: MediaItem;
  isBest: boolean;
  isKept: boolean;
  onKeep: () => void;
}) {
  const facts = [
    item.duration === null ? null : formatTime(item.duration),
    item.width && item.height ? `${item.width} × ${item.height}` : null,
    formatBytes(item.size),
  ];
  return (
    <div
      className={clsx(
        'flex flex-wrap items-center justify-end gap-x-3 gap-y-1 rounded-control px-2 py-2',
        isKept && 'bg-accent-soft',
      )}
    >
      <label className="flex min-w-0 flex-1 basis-64 cursor-pointer items-center gap-3">
        <input
          type="radio"
          name={`kept of ${best.id}`}
          checked={isKept}
          onChange={onKeep}
          aria-label={`Keep ${item.filename}`}
          className="size-4 shrink-0 accent-accent"
        />
        <CopyThumbnail item={item} />
        <span className="min-w-0">
          <span className="block truncate font-medium" title={item.filename}>
            {item.filename}
          </span>
          <span className="block text-label text-quiet tabular-nums">
            {isBest ? <span className="font-medium text-accent">Best copy · </span> : null}
            {facts.filter((fact) => fact !== null).join(' · ')}
          </span>
        </span>
      </label>
      {isBest ? null : <CompareButton best={best} item={item} />}
      <Button asChild variant="quiet" size="small">
        <Link to={paths.media(item.id)} aria-label={`Open ${item.filename}`}>
          Open
        </Link>
      </Button>
    </div>
  );
}

const CompareDialog = lazyPart(async () => (await import('./compare-dialog.tsx')).CompareDialog);

/** Two items of a group that were not found by one another, but both by a third: from their beginnings. */
const wholeOf = (best: MediaItem, item: MediaItem): Copy => ({
  kind: 'version',
  score: 0,
  item,
  spans: [
    {
      start: 0,
      end: best.duration ?? 0,
      other_start: 0,
      other_end: item.duration ?? 0,
      speed: 1,
      mirrored: false,
      cropped: 0,
      score: 0,
    },
  ],
});

/** Shows the best copy and another one side by side, where they are the same at once. */
function CompareButton({ best, item }: { best: MediaItem; item: MediaItem }) {
  const [open, setOpen] = useState(false);
  const copies = useQuery({ ...copiesOptions(best.id), enabled: open });
  const copy = copies.isPending
    ? null
    : (copies.data?.data.find((each) => each.item.id === item.id) ?? wholeOf(best, item));
  return (
    <>
      <IconButton
        icon={Columns2}
        label={`Compare ${item.filename} with the best copy`}
        title="Compare"
        size="smallIcon"
        onClick={() => setOpen(true)}
      />
      {open && copy ? (
        <Suspense>
          <CompareDialog item={best} copy={copy} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
