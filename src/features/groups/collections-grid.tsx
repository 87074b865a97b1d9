import { Images, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Collection } from '../../api/generated/api/index.ts';
import { countItems } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cardGrid } from '../../ui/card-grid.ts';
import { CardImage } from '../../ui/card-image.tsx';
import { DeleteGroup } from './delete-group.tsx';
import { GroupDialog } from './group-dialog.tsx';

/** Collections as cards with their covers. */
export function CollectionsGrid({ collections }: { collections: Collection[] }) {
  const [renamed, setRenamed] = useState<Collection | null>(null);
  return (
    <>
      <ul aria-label="Collections" className={cardGrid}>
        {collections.map((collection) => (
          <CollectionCard key={collection.id} collection={collection} onRename={() => setRenamed(collection)} />
        ))}
      </ul>
      {renamed ? <GroupDialog kind="collections" group={renamed} onClose={() => setRenamed(null)} /> : null}
    </>
  );
}

const CollectionCard = ({ collection, onRename }: { collection: Collection; onRename: () => void }) => (
  <li className="overflow-hidden rounded-card border border-line bg-surface transition-colors hover:border-quiet">
    <Link to={paths.collection(collection.id)} className="block rounded-t-card">
      <Covers urls={collection.covers} />
      <span className="block truncate px-3 pt-2 font-medium" title={collection.name}>
        {collection.name}
      </span>
      <span className="sr-only">, {countItems(collection.media_count)}</span>
    </Link>
    <div className="flex items-center gap-1 pr-1.5 pb-1.5 pl-3">
      <p className="flex-1 text-label text-quiet tabular-nums" aria-hidden>
        {countItems(collection.media_count)}
      </p>
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

/** One image, or four in a square: fewer would leave holes. */
function Covers({ urls }: { urls: string[] }) {
  const shown = urls.length < 4 ? urls.slice(0, 1) : urls;
  if (shown.length === 0) {
    return (
      <span className="grid aspect-video place-items-center bg-raised text-quiet">
        <Images className="size-8 opacity-60" aria-hidden />
      </span>
    );
  }
  return (
    <span className={shown.length === 1 ? 'grid aspect-video' : 'grid aspect-video grid-cols-2 grid-rows-2 gap-px'}>
      {shown.map((url) => (
        <CardImage key={url} thumbnail={url} className="size-full min-h-0 bg-raised object-cover" />
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
