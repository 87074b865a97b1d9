import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { NavLink, useNavigate } from 'react-router';
import type { Collection } from '../../api/generated/api/index.ts';
import { collectionsOptions } from '../../api/item-groups.ts';
import { lazyPart } from '../../api/parts.ts';
import { useItemDrop } from '../../lib/dragged-items.ts';
import type { SelectedItems } from '../../lib/selected-items.ts';
import { paths } from '../../paths.ts';
import { nestedEntry } from '../../ui/menu-entry.ts';
import { useChangeMembers } from './use-change-members.ts';

/** Most that the menu lists: those that changed last. The page of all collections has the others. */
const maxListed = 8;

const GroupDialog = lazyPart(async () => (await import('./group-dialog.tsx')).GroupDialog);

/** The collections that changed last, and a button for a new one. Items of the library are dropped on them. */
export function MenuCollections() {
  const { data } = useQuery(collectionsOptions);
  // A connected service may have none.
  if (!data) return null;
  const listed = data.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, maxListed);
  return (
    <ul aria-label="Recent collections" className="space-y-0.5">
      {listed.map((collection) => (
        <MenuCollection key={collection.id} collection={collection} />
      ))}
      <NewCollection />
    </ul>
  );
}

const dropClass = 'ring-2 ring-accent bg-accent-soft text-accent';

function MenuCollection({ collection }: { collection: Collection }) {
  const { change } = useChangeMembers();
  const { isOver, handlers } = useItemDrop((items) =>
    change({ kind: 'collections', group: collection, items, how: 'add' }),
  );
  return (
    <li {...handlers}>
      <NavLink
        to={paths.collection(collection.id)}
        draggable={false}
        title={collection.name}
        className={({ isActive }) => clsx(nestedEntry(isActive), isOver && dropClass)}
      >
        <span className="truncate">{collection.name}</span>
      </NavLink>
    </li>
  );
}

/** Creates a collection: with the items that are dropped on it, or an empty one, which is opened. */
function NewCollection() {
  const [items, setItems] = useState<SelectedItems | 'none' | null>(null);
  const navigate = useNavigate();
  const { change } = useChangeMembers();
  const { isOver, handlers } = useItemDrop(setItems);
  return (
    <li {...handlers}>
      <button
        type="button"
        onClick={() => setItems('none')}
        className={clsx(nestedEntry(false), 'w-full', isOver && dropClass)}
      >
        <Plus className="-ml-6 size-4 shrink-0" aria-hidden />
        New collection
      </button>
      {items === null ? null : (
        <Suspense>
          <GroupDialog
            kind="collections"
            onClose={() => setItems(null)}
            onSaved={(group) => {
              if (items === 'none') void navigate(paths.collection(group.id));
              else change({ kind: 'collections', group, items, how: 'add' });
            }}
          />
        </Suspense>
      )}
    </li>
  );
}
