import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Images, Trash2 } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { type Collection, updateCollection } from '../../api/generated/api/index.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { countItems } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { EditableText } from '../../ui/editable-text.tsx';
import { DeleteGroup } from './delete-group.tsx';

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
  const client = useQueryClient();
  const navigate = useNavigate();
  const heading = useRef<HTMLDivElement>(null);
  const update = useMutation({
    mutationFn: ({ id, ...body }: { id: string; name?: string; description?: string }) =>
      updateCollection({ path: { id }, body }),
    onSettled: () => reloadMedia(client),
  });
  const set = (changes: { name?: string; description?: string }) =>
    collection ? update.mutateAsync({ id: collection.id, ...changes }).then(() => undefined) : Promise.resolve();
  return (
    <div ref={heading} className="mb-3 flex items-start gap-3 sm:gap-4">
      <span className="grid size-16 shrink-0 place-items-center overflow-hidden rounded-card bg-raised text-quiet sm:size-20">
        {collection?.covers[0] ? (
          <CardImage thumbnail={collection.covers[0]} className="size-full object-cover" />
        ) : (
          <Images className="size-6 opacity-60" aria-hidden />
        )}
      </span>
      <div className="min-w-0 flex-1">
        <h1 className="text-xl font-semibold">
          <EditableText
            label="Name"
            value={collection?.name ?? ''}
            maxLength={120}
            required
            onSave={(name) => set({ name })}
          />
        </h1>
        <div className="text-quiet">
          <EditableText
            label="Description"
            value={collection?.description ?? ''}
            placeholder={collection ? 'Add a description' : ''}
            maxLength={2000}
            multiline
            onSave={(description) => set({ description })}
          />
        </div>
        <p className="min-h-5 text-label text-quiet tabular-nums" aria-live="polite">
          {total === null ? null : countItems(total)}
        </p>
      </div>
      <span className="flex shrink-0 gap-1">
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
