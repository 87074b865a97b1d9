import { Trash2, Undo2 } from 'lucide-react';
import { useDeleteFromTrash } from '../../api/trash.ts';
import { countItems } from '../../lib/format.ts';
import { itemsByName } from '../../lib/selected-items.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SelectionFrame } from '../../ui/selection-frame.tsx';
import { useBulkChange } from '../../use-bulk-change.ts';

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
  const { mutate, isPending } = useBulkChange();
  const restore = () =>
    mutate(
      {
        items: itemsByName(ids),
        change: { restore: true },
        doing: `Restoring ${countItems(ids.length)}`,
        say: (count) => `${countItems(count)} restored.`,
      },
      { onSuccess: onClear },
    );
  const remove = useDeleteFromTrash(onClear);
  const busy = isPending || remove.isPending;
  return (
    <SelectionFrame count={ids.length} total={total} onSelectAll={onSelectAll} onClear={onClear}>
      <Button size="small" disabled={busy} onClick={restore}>
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
    </SelectionFrame>
  );
}
