import { clsx } from 'clsx';
import { ShoppingBasket } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import type { BasketMoment } from './basket-moments.ts';
import { useBasket } from './use-basket.ts';

const BasketDrawer = lazyPart(async () => (await import('./basket-drawer.tsx')).BasketDrawer);

/**
 * Opens the basket, and says how much is in it.
 * @param renderExport what makes files of the moments
 */
export function BasketOpener({ renderExport }: { renderExport: (moments: BasketMoment[]) => ReactNode }) {
  const [open, setOpen] = useState(false);
  const { moments } = useBasket();
  const count = moments.length;
  return (
    <>
      <Button
        variant="quiet"
        size="icon"
        // A phone has no room for an empty one.
        className={clsx('relative', count === 0 && 'max-md:hidden')}
        aria-label={count === 0 ? 'Basket' : `Basket, ${formatCount(count)} ${count === 1 ? 'moment' : 'moments'}`}
        title="Basket"
        onClick={() => setOpen(true)}
      >
        <ShoppingBasket aria-hidden />
        {count > 0 ? (
          <span
            aria-hidden
            className="absolute -top-0.5 -right-0.5 min-w-4.5 rounded-full bg-accent px-1 text-center text-xs leading-4.5 font-semibold text-accent-ink tabular-nums"
          >
            {count > 99 ? '99+' : count}
          </span>
        ) : null}
      </Button>
      {open ? (
        <Suspense>
          <BasketDrawer renderExport={renderExport} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
