import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ArrowDownToLine, ArrowUpToLine, FolderMinus, ImageUp } from 'lucide-react';
import { updateCollection } from '../../api/generated/api/index.ts';
import type { Group } from '../../api/item-groups.ts';
import { type MediaFilter, mediaIdsOptions } from '../../api/queries.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { countSelected, type SelectedItems } from '../../lib/selected-items.ts';
import { PanelAction } from '../../ui/panel-action.tsx';
import { toast } from '../../ui/toast.ts';
import { useChangeMembers } from './use-change-members.ts';
import { useMoveItems } from './use-move-items.ts';

/** Most items that one request moves. */
const maxMoved = 1000;

/**
 * What can be done with selected items of the collection that is shown.
 * @param ordered the list, where it is shown whole and in the order of the collection
 */
export function CollectionSelection({
  items,
  collection,
  ordered,
  onDone,
  onRemoved,
}: {
  items: SelectedItems;
  collection: Pick<Group, 'id' | 'name'>;
  ordered: MediaFilter | null;
  /** Something was chosen. */
  onDone: () => void;
  /** They are not shown any more. */
  onRemoved: () => void;
}) {
  const client = useQueryClient();
  const members = useChangeMembers();
  const moveItems = useMoveItems(collection.id);
  const cover = useMutation({
    mutationFn: (id: string) => updateCollection({ path: { id: collection.id }, body: { cover_id: id } }),
    onSuccess: () => toast.success(`Cover of “${collection.name}” chosen.`),
    onSettled: () => reloadMedia(client),
  });
  const single = 'ids' in items && items.ids.size === 1 ? [...items.ids][0] : undefined;
  const movable =
    ordered && 'ids' in items && countSelected(items) <= maxMoved ? { list: ordered, ids: items.ids } : null;
  const moveTo = async (place: 'start' | 'end') => {
    onDone();
    if (!movable) return;
    const first = place === 'start' ? await findFirst(movable.list, movable.ids) : null;
    moveItems([...movable.ids], first);
  };
  /** The first item that is not moved. */
  const findFirst = async (list: MediaFilter, ids: ReadonlySet<string>): Promise<string | null> => {
    const { data } = await client.fetchQuery(mediaIdsOptions(list, { offset: 0, limit: ids.size + 1 }));
    return data.find((id) => !ids.has(id)) ?? null;
  };
  return (
    <>
      {single === undefined ? null : (
        <PanelAction
          icon={ImageUp}
          onClick={() => {
            onDone();
            cover.mutate(single);
          }}
        >
          Use as cover
        </PanelAction>
      )}
      {movable ? (
        <>
          <PanelAction icon={ArrowUpToLine} onClick={() => void moveTo('start')}>
            Move to the start
          </PanelAction>
          <PanelAction icon={ArrowDownToLine} onClick={() => void moveTo('end')}>
            Move to the end
          </PanelAction>
        </>
      ) : null}
      <PanelAction
        icon={FolderMinus}
        disabled={members.isPending}
        onClick={() => {
          onDone();
          members.change({ kind: 'collections', group: collection, items, how: 'remove' });
          onRemoved();
        }}
      >
        Remove from collection
      </PanelAction>
    </>
  );
}
