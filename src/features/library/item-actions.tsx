import { useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { useDeleteForGood, useHasTrash, useMoveToTrash, useRestoreFromTrash } from '../../api/trash.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { reportRestored } from '../../ui/report-restored.ts';
import { toast, undoMs } from '../../ui/toast.ts';
import { useRetryMedia } from './media-actions.ts';

/**
 * Deletes the item of a page: moves it to the trash, with a way to undo that. Where the service has no trash it is asked about first.
 * @param leave awaited before anything is read again: the page would ask for the item once more
 */
export function useDeleteItem({ id, filename, source }: MediaItem, leave: () => Promise<void> | void) {
  const client = useQueryClient();
  const hasTrash = useHasTrash();
  const [asking, setAsking] = useState(false);
  const restore = useRestoreFromTrash((restored, asked) => reportRestored(restored, asked, filename));
  const goOn = async () => {
    await leave();
    client.removeQueries({ queryKey: mediaItemOptions(id).queryKey });
  };
  const move = useMoveToTrash(async (moved) => {
    await goOn();
    toast.success('Moved to trash', {
      description: filename,
      // The component is gone by then, but its requests are not.
      action: { label: 'Undo', onClick: () => restore.mutate(moved) },
      duration: undoMs,
    });
  });
  const remove = useDeleteForGood(async () => {
    await goOn();
    toast.success('Deleted', { description: filename });
  });
  return {
    hasTrash,
    busy: move.isPending || remove.isPending,
    /** Begins it. */
    start: () => (hasTrash ? move.mutate([id]) : setAsking(true)),
    /** The question, while it is open. */
    question: asking ? (
      <FormDialog
        open
        onOpenChange={setAsking}
        title="Delete this item?"
        description={
          source
            ? `${filename} will be gone from the library. Its file in ${source.name} stays. This cannot be undone.`
            : `${filename} and its original will be gone. This cannot be undone.`
        }
        submit="Delete"
        busy={remove.isPending}
        error={remove.error}
        onSubmit={() => remove.mutate([id])}
      >
        {null}
      </FormDialog>
    ) : null,
  };
}

/** Errors of a file that reading it again does not change. */
const finalErrors = new Set(['unsupported_codec', 'no_picture', 'too_large', 'encrypted_media']);

/** Whether an item that failed may succeed when it is read again. */
export const canRetry = ({ error }: Pick<MediaItem, 'error'>): boolean =>
  error === null || !finalErrors.has(error.code);

/** Puts an item that failed back to be indexed. */
export function RetryButton({ item }: { item: MediaItem }) {
  const retry = useRetryMedia();
  return (
    <Button onClick={() => retry.mutate(item.id)} disabled={retry.isPending}>
      <RotateCw aria-hidden />
      Try again
    </Button>
  );
}
