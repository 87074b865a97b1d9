import { countItems } from '../../lib/format.ts';
import { describeStars } from '../../ui/stars.tsx';
import { useUpdateItems } from './media-actions.ts';

/** The keys of ratings: as many stars as the digit, and none with 0. */
export const ratingKeys = ['0', '1', '2', '3', '4', '5'];

/** The stars that a key stands for; undefined for other keys. */
export const starsOf = (key: string): number | undefined => (ratingKeys.includes(key) ? Number(key) : undefined);

/** Returns what rates items, says so, and offers to undo it. */
export function useRate(): (ids: readonly string[], rating: number) => void {
  const { mutate } = useUpdateItems();
  return (ids, rating) =>
    mutate({
      ids,
      changes: { rating },
      say: (count) => `${countItems(count)}: ${describeStars(rating).toLowerCase()}.`,
    });
}
