import { clsx } from 'clsx';
import { AudioLines, Film, Image, Trash2, Undo2 } from 'lucide-react';
import { useRef } from 'react';
import type { TrashedItem } from '../../api/generated/api/index.ts';
import { useDeleteFromTrash, useRestoreFromTrash } from '../../api/trash.ts';
import { formatBytes, formatDate, formatTime } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { reportRestored } from '../../ui/report-restored.ts';

const icons = { video: Film, image: Image, audio: AudioLines };

const dayMs = 24 * 60 * 60_000;

/** How long an item is kept, in days rounded up. */
function describeTimeLeft({ removed_at }: TrashedItem): string {
  const days = Math.ceil((Date.parse(removed_at) - Date.now()) / dayMs);
  if (days <= 1) return 'Less than a day left';
  return `${days} days left`;
}

/** The items in the trash, what came last first. */
export function TrashList({
  items,
  selected,
  onSelect,
  onGone,
}: {
  items: readonly TrashedItem[];
  selected: ReadonlySet<string>;
  onSelect: (id: string) => void;
  /** Called when an item was restored or deleted. */
  onGone: (id: string) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  return (
    <ul
      ref={list}
      // Has the focus when the row that had it is gone.
      tabIndex={-1}
      aria-label="Trash"
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {items.map((item) => (
        <TrashRow
          key={item.id}
          item={item}
          selected={selected.has(item.id)}
          onSelect={() => onSelect(item.id)}
          onGone={() => {
            list.current?.focus();
            onGone(item.id);
          }}
        />
      ))}
    </ul>
  );
}

type Row = { item: TrashedItem; selected: boolean; onSelect: () => void; onGone: () => void };

/** Not laid out before it comes near the screen: a trash may hold thousands. */
function TrashRow({ item, selected, onSelect, onGone }: Row) {
  return (
    <li
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5 [contain-intrinsic-size:auto_77px] [content-visibility:auto] sm:flex-nowrap',
        selected && 'bg-accent-soft',
      )}
    >
      <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-3">
        <input
          type="checkbox"
          checked={selected}
          onChange={onSelect}
          aria-label={`Select ${item.filename}`}
          className="size-4 shrink-0 accent-accent"
        />
        <Thumbnail item={item} />
        <span className="min-w-0">
          <span className="block truncate font-medium" title={item.filename}>
            {item.filename}
          </span>
          <span className="block text-xs text-quiet tabular-nums">
            {formatBytes(item.size)} ·{' '}
            <span title={`Deleted for good on ${formatDate(item.removed_at)}`}>{describeTimeLeft(item)}</span>
          </span>
        </span>
      </label>
      <RowActions item={item} onGone={onGone} />
    </li>
  );
}

function Thumbnail({ item: { thumbnail, type, duration } }: { item: TrashedItem }) {
  const Icon = icons[type];
  return (
    <span className="relative grid aspect-video w-20 shrink-0 place-items-center overflow-hidden rounded-control bg-raised text-quiet sm:w-24">
      {thumbnail === null ? (
        <Icon className="size-5 opacity-60" aria-hidden />
      ) : (
        <CardImage thumbnail={thumbnail} className="size-full object-cover" />
      )}
      {duration === null ? null : (
        <span className="absolute right-1 bottom-1 rounded bg-black/70 px-1 text-xs font-medium text-white tabular-nums">
          {formatTime(duration)}
        </span>
      )}
    </span>
  );
}

function RowActions({ item: { id, filename }, onGone }: Pick<Row, 'item' | 'onGone'>) {
  const restore = useRestoreFromTrash((restored, asked) => {
    reportRestored(restored, asked, filename);
    onGone();
  });
  const remove = useDeleteFromTrash(onGone);
  const busy = restore.isPending || remove.isPending;
  return (
    <span className="ml-auto flex gap-1.5">
      <Button size="small" aria-label={`Restore ${filename}`} disabled={busy} onClick={() => restore.mutate([id])}>
        <Undo2 aria-hidden />
        <span className="max-sm:hidden">Restore</span>
      </Button>
      <ConfirmDialog
        trigger={
          <IconButton
            icon={Trash2}
            label={`Delete ${filename} forever`}
            size="smallIcon"
            title="Delete forever"
            disabled={busy}
          />
        }
        title="Delete this item forever?"
        confirm="Delete forever"
        onConfirm={() => remove.mutate([id])}
      >
        {filename} and its original will be gone. This cannot be undone.
      </ConfirmDialog>
    </span>
  );
}
