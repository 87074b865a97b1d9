import type { MediaItem } from '../../api/generated/api/index.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { StarChoice } from '../../ui/star-choice.tsx';
import { useUpdateItems } from './media-actions.ts';
import { ratingKeys, useRate } from './rating.ts';

/** Rates items by the keys of ratings. */
function useRatingKeys(rate: (stars: number) => void): void {
  useKeys(Object.fromEntries(ratingKeys.map((key) => [key, () => rate(Number(key))])));
}

/** The stars of an item, changed by pressing one or by a key. */
export function RatingEditor({ item }: { item: MediaItem }) {
  const update = useUpdateItems();
  const rate = (rating: number) => update.mutate({ ids: [item.id], changes: { rating } });
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

/** The stars that the selected items get, by pressing one or by a key. */
export function RateSelection({ ids, disabled }: { ids: readonly string[]; disabled: boolean }) {
  const rate = useRate();
  useRatingKeys((stars) => rate(ids, stars));
  return <StarChoice label="Rate" value={0} disabled={disabled} onChange={(stars) => rate(ids, stars)} />;
}
