import { countItems } from '../../lib/format.ts';
import { countSelected, type SelectedItems } from '../../lib/selected-items.ts';
import { describeStars } from '../../ui/stars.tsx';
import { useBulkChange } from '../../use-bulk-change.ts';

/** The keys of ratings: as many stars as the digit, and none with 0. */
export const ratingKeys = ['0', '1', '2', '3', '4', '5'];

/** The stars that a key stands for; undefined for other keys. */
export const starsOf = (key: string): number | undefined => (ratingKeys.includes(key) ? Number(key) : undefined);

/** Returns what rates items, says so, and offers to undo it. */
export function useRate(): (items: SelectedItems, rating: number) => void {
  const { mutate } = useBulkChange();
  return (items, rating) =>
    mutate({
      items,
      change: { rating },
      doing: `Rating ${countItems(countSelected(items))}`,
      say: (count) => `${countItems(count)}: ${describeStars(rating).toLowerCase()}.`,
    });
}
