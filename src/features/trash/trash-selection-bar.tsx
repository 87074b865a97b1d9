import { Trash2, Undo2, X } from 'lucide-react';
import { useDeleteFromTrash, useRestoreFromTrash } from '../../api/trash.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { reportRestored } from '../../ui/report-restored.ts';

const countItems = (count: number): string => `${formatCount(count)} ${count === 1 ? 'item' : 'items'}`;

/** What can be done with the selected items, at the foot of the trash. */
export function TrashSelectionBar({
  ids,
  total,
  onSelectAll,
  onClear,
}: {
  ids: readonly string[];
  total: number;
  onSelectAll: () => void;
  onClear: () => void;
}) {
  const restore = useRestoreFromTrash((restored, asked) => {
    reportRestored(restored, asked, countItems(asked));
    onClear();
  });
  const remove = useDeleteFromTrash(onClear);
  const busy = restore.isPending || remove.isPending;
  return (
    <section
      aria-label="Selection"
      className="fixed inset-x-0 bottom-foot z-20 flex flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-2.5 shadow-float md:inset-x-auto md:bottom-5 md:left-1/2 md:-translate-x-1/2 md:rounded-card md:border"
    >
      <p className="font-medium tabular-nums" aria-live="polite">
        {formatCount(ids.length)} selected
      </p>
      {ids.length < total ? (
        <Button variant="quiet" size="small" onClick={onSelectAll}>
          Select all {formatCount(total)}
        </Button>
      ) : null}
      <Button size="small" disabled={busy} onClick={() => restore.mutate(ids)}>
        <Undo2 aria-hidden />
        Restore
      </Button>
      <ConfirmDialog
        trigger={
          <Button size="small" disabled={busy}>
            <Trash2 aria-hidden />
            {remove.isPending ? 'Deleting…' : 'Delete forever'}
          </Button>
        }
        title={`Delete ${countItems(ids.length)} forever?`}
        confirm="Delete forever"
        onConfirm={() => remove.mutate(ids)}
      >
        They and their originals will be gone. This cannot be undone.
      </ConfirmDialog>
      <Button variant="quiet" size="smallIcon" aria-label="Clear selection" onClick={onClear}>
        <X aria-hidden />
      </Button>
    </section>
  );
}
