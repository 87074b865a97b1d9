import type { Group, GroupKind } from '../../api/item-groups.ts';
import { countItems } from '../../lib/format.ts';
import { countSelected, type SelectedItems } from '../../lib/selected-items.ts';
import { type ItemsChange, useBulkChange } from '../../use-bulk-change.ts';

export type MembersChange = {
  kind: GroupKind;
  group: Pick<Group, 'id' | 'name'>;
  items: SelectedItems;
  how: 'add' | 'remove';
};

/** Adds items to a collection or tag, or removes them. It says what was done, and offers to undo it. */
export function useChangeMembers() {
  const { mutate, isPending } = useBulkChange();
  return {
    isPending,
    change: (of: MembersChange, onDone?: () => void): void =>
      mutate(
        {
          items: of.items,
          change: changeOf(of),
          doing: `${of.group.name}: ${countItems(countSelected(of.items))}`,
          say: (count) => describe(of, count),
        },
        { onSuccess: () => onDone?.() },
      ),
  };
}

function changeOf({ kind, group, how }: MembersChange): ItemsChange {
  if (kind === 'tags') return how === 'add' ? { add_tag_ids: [group.id] } : { remove_tag_ids: [group.id] };
  return how === 'add' ? { add_collection_ids: [group.id] } : { remove_collection_ids: [group.id] };
}

function describe({ kind, group, items, how }: MembersChange, count: number): string {
  const what = countItems(count);
  if (count === 0) {
    const all = countSelected(items) === 1 ? 'It' : 'Nothing to change: each';
    if (how === 'remove') return `${all} was not in “${group.name}”.`;
    return kind === 'tags' ? `${all} has the tag “${group.name}” already.` : `${all} is in “${group.name}” already.`;
  }
  if (kind === 'tags') {
    return how === 'add' ? `${what} tagged “${group.name}”.` : `Tag “${group.name}” removed from ${what}.`;
  }
  return how === 'add' ? `${what} added to “${group.name}”.` : `${what} removed from “${group.name}”.`;
}
