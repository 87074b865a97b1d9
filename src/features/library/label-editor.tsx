import type { MediaItem } from '../../api/generated/api/index.ts';
import { useLabelChoices } from '../../api/label-requests.ts';
import { LabelPicker } from '../../ui/label-picker.tsx';
import { useUpdateItem } from './media-actions.ts';
import { RatingEditor } from './rating-editor.tsx';

/** Choices of an item's rating, creator and category, saved as they are made. */
export function LabelEditor({ item }: { item: MediaItem }) {
  const creators = useLabelChoices('creator');
  const categories = useLabelChoices('category');
  const assign = useUpdateItem();
  const set = (changes: { creator_id?: string | null; category_id?: string | null }) =>
    assign.mutate({ id: item.id, changes });
  return (
    <div className="border-t border-line pt-3">
      <RatingEditor item={item} />
      <div className="grid grid-cols-2 gap-3">
        <LabelPicker
          {...creators}
          label="Creator"
          value={item.creator_id}
          disabled={assign.isPending}
          onChange={(id) => set({ creator_id: id })}
        />
        <LabelPicker
          {...categories}
          label="Category"
          value={item.category_id}
          disabled={assign.isPending}
          onChange={(id) => set({ category_id: id })}
        />
      </div>
    </div>
  );
}
