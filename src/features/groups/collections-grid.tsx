import { clsx } from 'clsx';
import { Images, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Collection } from '../../api/generated/api/index.ts';
import { countItems } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { DeleteGroup } from './delete-group.tsx';
import { GroupDialog } from './group-dialog.tsx';

/** Classes of the grid of collections. */
export const collectionGrid =
  'grid grid-cols-2 gap-x-3 gap-y-6 sm:grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] sm:gap-x-5';

/** Collections as cards with their covers. */
export function CollectionsGrid({ collections }: { collections: Collection[] }) {
  const [renamed, setRenamed] = useState<Collection | null>(null);
  return (
    <>
      <ul aria-label="Collections" className={collectionGrid}>
        {collections.map((collection) => (
          <CollectionCard key={collection.id} collection={collection} onRename={() => setRenamed(collection)} />
        ))}
      </ul>
      {renamed ? <GroupDialog kind="collections" group={renamed} onClose={() => setRenamed(null)} /> : null}
    </>
  );
}

const CollectionCard = ({ collection, onRename }: { collection: Collection; onRename: () => void }) => (
  <li className="group relative">
    <Link to={paths.collection(collection.id)} className="block rounded-card">
      <span className="block overflow-hidden rounded-card bg-raised shadow-sm transition-shadow duration-quick group-hover:shadow-float">
        <Covers urls={collection.cover_id === null ? collection.covers : collection.covers.slice(0, 1)} />
      </span>
      <span className="mt-2.5 block truncate text-title font-semibold pointer-fine:pr-20" title={collection.name}>
        {collection.name}
      </span>
      <span className="mt-0.5 block min-h-5 truncate text-label text-quiet tabular-nums">
        {countItems(collection.media_count)}
        {collection.description === '' ? null : ` · ${collection.description}`}
      </span>
    </Link>
    {/* By touch they are on the page of the collection. */}
    <div className="absolute right-0 bottom-5 flex gap-0.5 opacity-0 transition-opacity duration-quick group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:hidden">
      <IconButton
        icon={Pencil}
        label={`Rename ${collection.name}`}
        size="smallIcon"
        title="Rename"
        onClick={onRename}
      />
      <DeleteGroup
        kind="collections"
        group={collection}
        trigger={<IconButton icon={Trash2} label={`Delete ${collection.name}`} size="smallIcon" title="Delete" />}
      />
    </div>
  </li>
);

/** One image, or a large one with two beside it: fewer would leave holes. */
function Covers({ urls }: { urls: string[] }) {
  const shown = urls.length < 3 ? urls.slice(0, 1) : urls.slice(0, 3);
  if (shown.length === 0) {
    return (
      <span className="grid aspect-4/3 place-items-center text-quiet">
        <Images className="size-8 opacity-60" aria-hidden />
      </span>
    );
  }
  return (
    <span className={clsx('grid aspect-4/3 gap-0.5', shown.length > 1 && 'grid-cols-[2fr_1fr] grid-rows-2')}>
      {shown.map((url, i) => (
        <CardImage
          key={url}
          thumbnail={url}
          className={clsx('size-full min-h-0 object-cover', i === 0 && shown.length > 1 && 'row-span-2')}
        />
      ))}
    </span>
  );
}

/** Creates a collection and opens it. */
export function NewCollection() {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus aria-hidden />
        New collection
      </Button>
      {open ? (
        <GroupDialog
          kind="collections"
          onClose={() => setOpen(false)}
          onSaved={({ id }) => void navigate(paths.collection(id))}
        />
      ) : null}
    </>
  );
}
