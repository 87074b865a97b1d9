import { useQueryClient } from '@tanstack/react-query';
import { RotateCw, Trash2 } from 'lucide-react';
import { useNavigate } from 'react-router';
import { toast } from 'sonner';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useDeleteMedia, useRetryMedia } from './media-actions.ts';

/** Deletes the item of a page, after a question, and goes to the library. */
export function DeleteButton({ item }: { item: MediaItem }) {
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

/** Puts an item that failed back to be indexed. */
export function RetryButton({ item }: { item: MediaItem }) {
  const retry = useRetryMedia();
  return (
    <Button onClick={() => retry.mutate([item.id])} disabled={retry.isPending}>
      <RotateCw aria-hidden />
      Try again
    </Button>
  );
}
