import type { MediaItem } from '../../api/generated/api/index.ts';
import { useLabelOptions } from '../../api/labels.ts';
import { Select } from '../../ui/select.tsx';
import { useUpdateItems } from './media-actions.ts';
import { RatingEditor } from './rating-editor.tsx';

const none = { value: '', text: 'None' };

/** Choices of an item's rating, creator and category, saved as they are made. */
export function LabelEditor({ item }: { item: MediaItem }) {
  const { creators, categories } = useLabelOptions();
  const assign = useUpdateItems();
  const set = (changes: { creator_id?: string | null; category_id?: string | null }) =>
    assign.mutate({ ids: [item.id], changes });
  return (
    <div className="border-t border-line pt-3">
      <RatingEditor item={item} />
      <div className="grid grid-cols-2 gap-3">
        <Select
          label="Creator"
          value={item.creator_id ?? ''}
          options={[none, ...creators]}
          disabled={assign.isPending}
          onChange={(id) => set({ creator_id: id === '' ? null : id })}
        />
        <Select
          label="Category"
          value={item.category_id ?? ''}
          options={[none, ...categories]}
          disabled={assign.isPending}
          onChange={(id) => set({ category_id: id === '' ? null : id })}
        />
      </div>
    </div>
  );
}
