import { useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useNavigate } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { libraryAddress } from '../../lib/library-place.ts';
import { Button } from '../../ui/button.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { DeleteItems } from './delete-items.tsx';
import { useRetryMedia } from './media-actions.ts';

/** Deletes the item of a page and goes to where the library was left. */
export function DeleteButton({ item }: { item: MediaItem }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const leave = async () => {
    // First away from here: this page would ask for the item again.
    await navigate(libraryAddress());
    focusContent();
    client.removeQueries({ queryKey: mediaItemOptions(item.id).queryKey });
  };
  return <DeleteItems ids={[item.id]} what={item.filename} onDeleted={leave} />;
}

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
