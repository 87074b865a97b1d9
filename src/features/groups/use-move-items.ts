import { useMutation, useQueryClient } from '@tanstack/react-query';
import { orderCollection, type OrderCollectionData } from '../../api/generated/api/index.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { countItems } from '../../lib/format.ts';
import { toast, undoMs } from '../../ui/toast.ts';

type Moves = NonNullable<OrderCollectionData['body']>['moves'];

/** Returns what moves items of a collection before another of it (null: to the end), says so, and offers to undo it. */
export function useMoveItems(id: string): (ids: readonly string[], before: string | null) => void {
  const client = useQueryClient();
  const onSettled = () => reloadMedia(client);
  const order = (moves: Moves) => orderCollection({ path: { id }, body: { moves } });
  const undo = useMutation({
    mutationFn: ({ moves }: { moves: Moves; toastId: string }) => order(moves),
    onSuccess: (_, { toastId }) => toast.success('Undone.', { id: toastId, action: null, duration: 3000 }),
    onSettled,
  });
  const { mutate } = useMutation({
    mutationFn: ({ ids, before }: { ids: readonly string[]; before: string | null }) =>
      order([{ media_ids: [...ids], before_id: before }]),
    onSuccess: ({ data: { moves } }, { ids }) => {
      if (moves.length === 0) return;
      const toastId = `order ${id}`;
      toast.success(`${countItems(ids.length)} moved.`, {
        id: toastId,
        duration: undoMs,
        action: {
          label: 'Undo',
          onClick: (event) => {
            // The same notice says that it was done.
            event.preventDefault();
            undo.mutate({ moves, toastId });
          },
        },
      });
    },
    onSettled,
  });
  return (ids, before) => mutate({ ids, before });
}
