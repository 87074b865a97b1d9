import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ArrowDownToLine, ArrowUpToLine, FolderMinus, ImageUp } from 'lucide-react';
import { updateCollection } from '../../api/generated/api/index.ts';
import type { Group } from '../../api/item-groups.ts';
import { type MediaFilter, mediaIdsOptions } from '../../api/queries.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import type { SelectedItems } from '../../lib/selected-items.ts';
import { PanelAction } from '../../ui/panel-action.tsx';
import { toast } from '../../ui/toast.ts';
import { useChangeMembers } from './use-change-members.ts';
import { useMoveItems } from './use-move-items.ts';

/** Most items that one request moves. */
const maxMoved = 1000;

type Collection = Pick<Group, 'id' | 'name'>;

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
  collection: Collection;
  ordered: MediaFilter | null;
  /** Something was chosen. */
  onDone: () => void;
  /** They are not shown any more. */
  onRemoved: () => void;
}) {
  const members = useChangeMembers();
  const ids = 'ids' in items ? [...items.ids] : [];
  const [single] = ids.length === 1 ? ids : [];
  const remove = () => {
    onDone();
    members.change({ kind: 'collections', group: collection, items, how: 'remove' });
    onRemoved();
  };
  return (
    <>
      {single === undefined ? null : <UseAsCover id={single} collection={collection} onDone={onDone} />}
      {ordered && ids.length > 0 && ids.length <= maxMoved ? (
        <MoveToEnds ids={ids} collection={collection} list={ordered} onDone={onDone} />
      ) : null}
      <PanelAction icon={FolderMinus} disabled={members.isPending} onClick={remove}>
        Remove from collection
      </PanelAction>
    </>
  );
}

function UseAsCover({ id, collection, onDone }: { id: string; collection: Collection; onDone: () => void }) {
  const client = useQueryClient();
  const choose = useMutation({
    mutationFn: () => updateCollection({ path: { id: collection.id }, body: { cover_id: id } }),
    onSuccess: () => toast.success(`Cover of “${collection.name}” chosen.`),
    onSettled: () => reloadMedia(client),
  });
  const onClick = () => {
    onDone();
    choose.mutate();
  };
  return (
    <PanelAction icon={ImageUp} onClick={onClick}>
      Use as cover
    </PanelAction>
  );
}

/** Moves items to the start or the end: by touch nothing is dragged. */
function MoveToEnds({
  ids,
  collection,
  list,
  onDone,
}: {
  ids: string[];
  collection: Collection;
  list: MediaFilter;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const moveItems = useMoveItems(collection.id);
  const toStart = async () => {
    onDone();
    const limit = ids.length + 1;
    const { data } = await client.fetchQuery(mediaIdsOptions(list, { offset: 0, limit }));
    moveItems(ids, data.find((id) => !ids.includes(id)) ?? null);
  };
  const toEnd = () => {
    onDone();
    moveItems(ids, null);
  };
  return (
    <>
      <PanelAction icon={ArrowUpToLine} onClick={() => void toStart()}>
        Move to the start
      </PanelAction>
      <PanelAction icon={ArrowDownToLine} onClick={toEnd}>
        Move to the end
      </PanelAction>
    </>
  );
}
