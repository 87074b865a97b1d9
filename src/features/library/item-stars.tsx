import { Star } from 'lucide-react';
import { Popover } from 'radix-ui';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { IconButton } from '../../ui/button.tsx';
import { StarChoice } from '../../ui/star-choice.tsx';
import { describeStars } from '../../ui/stars.tsx';
import { touchSize } from '../../ui/viewer-bar.tsx';
import { useUpdateItem } from './media-actions.ts';
import { ratingKeys } from './rating.ts';

/** How many stars an item has, and how to change that. What was chosen is shown at once. */
function useStars({ id, rating }: MediaItem): [stars: number, rate: (stars: number) => void] {
  const update = useUpdateItem();
  const chosen = update.isPending && update.variables.id === id ? update.variables.changes.rating : undefined;
  return [chosen ?? rating, (stars) => update.mutate({ id, changes: { rating: stars } })];
}

/** The stars of an item in a bar: all of them where there is room, or one that opens them. */
export function ItemStars({ item }: { item: MediaItem }) {
  const [stars, rate] = useStars(item);
  return (
    <>
      <div className="max-2xl:hidden">
        <StarChoice label="Stars" value={stars} onChange={rate} />
      </div>
      <Popover.Root>
        <Popover.Trigger asChild>
          <IconButton
            icon={Star}
            label={`Rate: ${describeStars(stars)}`}
            className={`2xl:hidden ${touchSize} ${stars > 0 ? '[&_svg]:fill-warm [&_svg]:text-warm' : ''}`}
          />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            sideOffset={6}
            aria-label="Rate"
            className="dark z-50 rounded-card border border-line bg-surface p-1.5 shadow-float"
          >
            <StarChoice label="Stars" value={stars} onChange={rate} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </>
  );
}

/** Rates an item by the keys 0 to 5. */
export function RatingKeys({ item }: { item: MediaItem }) {
  const [, rate] = useStars(item);
  useKeys(Object.fromEntries(ratingKeys.map((key) => [key, () => rate(Number(key))])));
  return null;
}
