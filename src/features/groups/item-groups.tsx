import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { type Group, type GroupKind, useGroups } from '../../api/item-groups.ts';
import { itemsByName } from '../../lib/selected-items.ts';
import { paths } from '../../paths.ts';
import { GroupCombobox } from './group-combobox.tsx';
import { groupNames } from './group-names.ts';
import { GroupPopover } from './group-popover.tsx';
import { useChangeMembers } from './use-change-members.ts';

/** The collections and tags of an item, each a link to what else is in it, and how to change them. */
export const ItemGroups = ({ item }: { item: MediaItem }) => (
  <div className="space-y-3">
    <GroupsOfItem kind="tags" itemId={item.id} ids={item.tag_ids} />
    <GroupsOfItem kind="collections" itemId={item.id} ids={item.collection_ids} />
  </div>
);

function GroupsOfItem({ kind, itemId, ids }: { kind: GroupKind; itemId: string; ids: string[] }) {
  const [open, setOpen] = useState(false);
  const groups = useGroups(kind);
  const { change } = useChangeMembers();
  const { one, Many } = groupNames[kind];
  const members = ids.flatMap((id) => groups.find((group) => group.id === id) ?? []);
  const set = (group: Pick<Group, 'id' | 'name'>, how: 'add' | 'remove') =>
    change({ kind, group, items: itemsByName([itemId]), how });
  const removeLast = () => {
    const last = members.at(-1);
    if (last) set(last, 'remove');
  };
  return (
    <section aria-label={Many}>
      <h3 className="font-medium">{Many}</h3>
      <ul className="mt-1.5 flex flex-wrap items-center gap-1.5">
        {members.map((group) => (
          <GroupChip key={group.id} kind={kind} group={group} onRemove={() => set(group, 'remove')} />
        ))}
        <li>
          <GroupPopover
            open={open}
            onOpenChange={setOpen}
            label={`Change ${Many.toLowerCase()}`}
            trigger={
              <button
                type="button"
                className="inline-flex h-7 items-center gap-1 rounded-full border border-dashed border-line px-2.5 text-label text-quiet hover:border-quiet hover:text-ink"
              >
                <Plus className="size-3.5" aria-hidden />
                Add {one}
              </button>
            }
          >
            <GroupCombobox
              kind={kind}
              chosen={ids}
              create
              onChoose={(group) => set(group, ids.includes(group.id) ? 'remove' : 'add')}
              onBackspace={removeLast}
            />
          </GroupPopover>
        </li>
      </ul>
    </section>
  );
}

/** Before a chip goes, the focus moves to the button of the next one, at last to that which adds. */
function focusNext(button: HTMLElement): void {
  const next = button.closest('li')?.nextElementSibling?.querySelectorAll('button');
  next?.[next.length - 1]?.focus();
}

const GroupChip = ({ kind, group, onRemove }: { kind: GroupKind; group: Group; onRemove: () => void }) => (
  <li className="inline-flex h-7 max-w-full items-center rounded-full bg-raised text-label">
    <Link
      to={paths.labelled(kind === 'tags' ? 'tag' : 'collection', group.id)}
      className="min-w-0 truncate rounded-l-full py-1 pl-2.5 hover:underline"
    >
      {group.name}
    </Link>
    <button
      type="button"
      aria-label={`Remove ${groupNames[kind].one} ${group.name}`}
      onClick={({ currentTarget }) => {
        focusNext(currentTarget);
        onRemove();
      }}
      className="grid size-7 shrink-0 place-items-center rounded-full text-quiet hover:text-ink"
    >
      <X className="size-3.5" aria-hidden />
    </button>
  </li>
);
