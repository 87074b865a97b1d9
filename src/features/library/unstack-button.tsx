import { Ungroup } from 'lucide-react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { Button } from '../../ui/button.tsx';
import { useUpdateItem } from './media-actions.ts';

/** Takes an item out of its stack: lists show it by itself from then on. */
export function UnstackButton({ item }: { item: MediaItem }) {
  const update = useUpdateItem();
  return (
    <Button
      variant="quiet"
      size="small"
      className="mt-2 -ml-2.5"
      disabled={update.isPending}
      onClick={() => update.mutate({ id: item.id, changes: { stack_id: null } })}
    >
      <Ungroup aria-hidden />
      Take out of the stack
    </Button>
  );
}
