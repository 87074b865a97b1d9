import type { MediaItem } from '../../api/generated/api/index.ts';
import type { SelectedItems } from '../../lib/selected-items.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { StarChoice } from '../../ui/star-choice.tsx';
import { useUpdateItem } from './media-actions.ts';
import { ratingKeys, useRate } from './rating.ts';

/** Rates items by the keys of ratings. */
function useRatingKeys(rate: (stars: number) => void): void {
  useKeys(Object.fromEntries(ratingKeys.map((key) => [key, () => rate(Number(key))])));
}

/** The stars of an item, changed by pressing one or by a key. */
export function RatingEditor({ item }: { item: MediaItem }) {
  const update = useUpdateItem();
  const rate = (rating: number) => update.mutate({ id: item.id, changes: { rating } });
  useRatingKeys(rate);
  return (
    // The last star ends where the values above it do: its button is wider.
    <div className="-mr-2 flex items-center justify-between gap-3 pb-3">
      <span className="font-medium" aria-hidden>
        Rating
      </span>
      {/* What was pressed is shown at once. */}
      <StarChoice label="Rating" value={update.variables?.changes.rating ?? item.rating} onChange={rate} />
    </div>
  );
}

/** The stars that the selected items get, by pressing one. */
export function RateByStars({ items }: { items: SelectedItems }) {
  const rate = useRate();
  return <StarChoice label="Rate" value={0} onChange={(stars) => rate(items, stars)} />;
}

/** The same, by a key too. */
export function RateSelection({ items }: { items: SelectedItems }) {
  const rate = useRate();
  useRatingKeys((stars) => rate(items, stars));
  return <RateByStars items={items} />;
}
