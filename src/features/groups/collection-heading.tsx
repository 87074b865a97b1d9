import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Images, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { type Collection, updateCollection } from '../../api/generated/api/index.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { countItems } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { EditableText } from '../../ui/editable-text.tsx';
import { DeleteGroup } from './delete-group.tsx';

type Changes = { name?: string; description?: string };

/** Returns what changes a collection. */
function useUpdate(id: string | undefined): (changes: Changes) => Promise<void> {
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: async (body: Changes) => {
      if (id !== undefined) await updateCollection({ path: { id }, body });
    },
    onSettled: () => reloadMedia(client),
  });
  return update.mutateAsync;
}

/**
 * The cover, name and description of the collection that is shown, changed in place. It is as high before it is read.
 * @param total items that are shown; null until it is known
 */
export function CollectionHeading({
  collection,
  total,
  children,
}: {
  collection: Collection | null;
  total: number | null;
  /** What else can be done with it. */
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const update = useUpdate(collection?.id);
  const { name = '', description = '', covers: [cover] = [] } = collection ?? {};
  return (
    <div className="relative mb-3 flex items-start gap-3 sm:gap-4">
      <Cover url={cover} />
      <div className="min-w-0 flex-1">
        <h1 className="text-xl font-semibold">
          <EditableText label="Name" value={name} maxLength={120} required onSave={(text) => update({ name: text })} />
        </h1>
        <div className="text-quiet">
          <EditableText
            label="Description"
            value={description}
            placeholder={collection ? 'Add a description' : ''}
            maxLength={2000}
            multiline
            onSave={(text) => update({ description: text })}
          />
        </div>
        <p className="flex min-h-5 items-center text-label text-quiet tabular-nums max-sm:min-h-11" aria-live="polite">
          {total === null ? null : countItems(total)}
        </p>
      </div>
      {/* On a phone below, so that the name has the whole line. */}
      <span className="flex shrink-0 items-center gap-1 max-sm:absolute max-sm:right-0 max-sm:bottom-0">
        {collection ? (
          <DeleteGroup
            kind="collections"
            group={collection}
            onDeleted={() => navigate(paths.collections)}
            trigger={<IconButton icon={Trash2} label="Delete collection" className="pointer-coarse:size-11" />}
          />
        ) : null}
        {children}
      </span>
    </div>
  );
}

const Cover = ({ url }: { url: string | undefined }) => (
  <span className="grid size-16 shrink-0 place-items-center overflow-hidden rounded-card bg-raised text-quiet sm:size-20">
    {url === undefined ? (
      <Images className="size-6 opacity-60" aria-hidden />
    ) : (
      <CardImage thumbnail={url} className="size-full object-cover" />
    )}
  </span>
);
