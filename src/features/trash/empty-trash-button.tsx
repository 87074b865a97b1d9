import { Trash2 } from 'lucide-react';
import { useEmptyTrash } from '../../api/trash.ts';
import { countItems, formatBytes } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.ts';

/** Deletes everything in the trash, after a question that says how much that is. */
export function EmptyTrashButton({ total, bytes, onEmptied }: { total: number; bytes: number; onEmptied: () => void }) {
  const empty = useEmptyTrash();
  const onSuccess = ({ data }: { data: { storage_bytes: number } }) => {
    toast.success('Trash emptied', { description: `${formatBytes(data.storage_bytes)} are free again.` });
    onEmptied();
  };
  return (
    <ConfirmDialog
      trigger={
        <Button disabled={empty.isPending}>
          <Trash2 aria-hidden />
          {empty.isPending ? 'Emptying…' : 'Empty trash now'}
        </Button>
      }
      title={`Delete ${countItems(total)} forever?`}
      confirm="Empty trash"
      onConfirm={() => empty.mutate(undefined, { onSuccess })}
    >
      This frees {formatBytes(bytes)} of storage. It cannot be undone.
    </ConfirmDialog>
  );
}
