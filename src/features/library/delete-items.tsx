import { Trash2 } from 'lucide-react';
import { useDeleteForGood, useHasTrash, useMoveToTrash, useRestoreFromTrash } from '../../api/trash.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { reportRestored } from '../../ui/report-restored.ts';
import { toast, undoMs } from '../../ui/toast.ts';

type Deletion = {
  ids: readonly string[];
  /** What is deleted, as a sentence names it: a file name, or `3 items`. */
  what: string;
  size?: 'regular' | 'small';
  disabled?: boolean;
  /** Awaited before anything is read again. */
  onDeleted: () => Promise<void> | void;
};

/** Moves items to the trash, which can be undone; where the service has none, deletes them after a question. */
export function DeleteItems(deletion: Deletion) {
  return useHasTrash() ? <MoveToTrash {...deletion} /> : <DeleteForGood {...deletion} />;
}

function MoveToTrash({ ids, what, size = 'regular', disabled = false, onDeleted }: Deletion) {
  const restore = useRestoreFromTrash((restored, asked) => reportRestored(restored, asked, what));
  const move = useMoveToTrash(async (moved) => {
    await onDeleted();
    toast.success('Moved to trash', {
      description: what,
      // The component is gone by then, but its requests are not.
      action: { label: 'Undo', onClick: () => restore.mutate(moved) },
      duration: undoMs,
    });
  });
  return (
    <Button size={size} disabled={disabled || move.isPending} onClick={() => move.mutate(ids)}>
      <Trash2 aria-hidden />
      Delete
    </Button>
  );
}

function DeleteForGood({ ids, what, size = 'regular', disabled = false, onDeleted }: Deletion) {
  const remove = useDeleteForGood(async () => {
    await onDeleted();
    toast.success('Deleted', { description: what });
  });
  return (
    <ConfirmDialog
      trigger={
        <Button size={size} disabled={disabled || remove.isPending}>
          <Trash2 aria-hidden />
          {remove.isPending ? 'Deleting…' : 'Delete'}
        </Button>
      }
      title={ids.length === 1 ? 'Delete this item?' : `Delete ${what}?`}
      confirm="Delete"
      onConfirm={() => remove.mutate(ids)}
    >
      {ids.length === 1 ? 'It will be gone' : 'They will be gone'} from the library and from every search, with the
      original. This server has no trash, so it cannot be undone.
    </ConfirmDialog>
  );
}
