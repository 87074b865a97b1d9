import { clsx } from 'clsx';
import { Check, Plus, ShoppingBasket } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';
import { touchSize } from '../../ui/viewer-bar.tsx';
import type { NewMoment } from './basket-moments.ts';
import { useBasket } from './use-basket.ts';

type CollectedClip = {
  id: string;
  chunk_id: string;
  type: MediaItem['type'];
  start: number;
  end: number;
  filename: string;
};

/** Puts a hit into the basket, or takes it out again. */
function useToggle({ id, chunk_id: chunkId, type, start, end, filename }: CollectedClip): [boolean, () => void] {
  const basket = useBasket();
  const moment: NewMoment = { mediaId: id, chunkId, type, start, end, filename };
  const collected = basket.find(moment);
  const toggle = () => {
    if (collected) basket.remove(collected.key);
    else if (!basket.add(moment)) toast.error('The basket is full.');
  };
  return [collected !== undefined, toggle];
}

/** On a card, over its image. */
export function BasketCorner({ hit }: { hit: CollectedClip }) {
  const [isCollected, toggle] = useToggle(hit);
  const Icon = isCollected ? Check : Plus;
  return (
    <button
      type="button"
      aria-pressed={isCollected}
      aria-label={`In the basket: ${hit.filename}`}
      title={isCollected ? 'Remove from basket' : 'Add to basket'}
      onClick={toggle}
      className={clsx(
        'absolute top-1.5 right-1.5 grid size-8 place-items-center rounded-full transition-opacity duration-quick pointer-coarse:size-9',
        isCollected
          ? // Beside the menu, which a finger always sees.
            'bg-accent text-accent-ink pointer-coarse:right-11'
          : // A finger finds it in the menu of the card.
            'bg-black/60 text-white opacity-0 group-hover/card:opacity-100 hover:bg-black/80 focus-visible:opacity-100 pointer-coarse:hidden',
      )}
    >
      <Icon className="size-4" aria-hidden />
    </button>
  );
}

/** In the menu of a card. */
export function BasketEntry({ hit, className }: { hit: CollectedClip; className: string }) {
  const [isCollected, toggle] = useToggle(hit);
  const Icon = isCollected ? Check : Plus;
  return (
    <DropdownMenu.CheckboxItem checked={isCollected} onCheckedChange={toggle} className={className}>
      <Icon className="size-4 text-quiet" aria-hidden />
      {isCollected ? 'Remove from basket' : 'Add to basket'}
    </DropdownMenu.CheckboxItem>
  );
}

/** In the bar over a hit; `B` does the same. */
export function BasketButton({ hit }: { hit: CollectedClip }) {
  const [isCollected, toggle] = useToggle(hit);
  const button = useRef<HTMLButtonElement>(null);
  useKeys({ b: toggle }, button);
  return (
    <IconButton
      ref={button}
      icon={isCollected ? ShoppingBasket : Plus}
      variant={isCollected ? 'pressed' : 'quiet'}
      label={isCollected ? 'In basket' : 'Add to basket'}
      title={isCollected ? 'Remove from basket (B)' : 'Add to basket (B)'}
      aria-pressed={isCollected}
      aria-keyshortcuts="B"
      className={touchSize}
      onClick={toggle}
    />
  );
}

/** Puts a chosen span into the basket. */
export function AddSpanButton({
  item,
  span,
}: {
  item: { id: string; type: MediaItem['type']; filename: string };
  span: Pick<NewMoment, 'start' | 'end'>;
}) {
  const basket = useBasket();
  const moment: NewMoment = { mediaId: item.id, chunkId: null, type: item.type, filename: item.filename, ...span };
  const isCollected = basket.find(moment) !== undefined;
  return (
    <Button
      disabled={isCollected}
      onClick={() => {
        if (!basket.add(moment)) toast.error('The basket is full.');
      }}
    >
      {isCollected ? <Check aria-hidden /> : <Plus aria-hidden />}
      {isCollected ? 'In basket' : 'Add to basket'}
    </Button>
  );
}
