import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import type { ItemTrail } from '../../lib/item-trail.ts';
import { libraryAddress } from '../../lib/library-place.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { ItemTitle } from './item-title.tsx';
import { NeighbourLinks } from './neighbour-links.tsx';
import type { Neighbours } from './use-neighbours.ts';

/**
 * The way back, the way to the neighbours, the name of the item, and what can be done with it. The ways are there before the item is loaded, so
 * that a user who goes on quickly need not wait for it.
 */
export const ItemHeader = ({
  item,
  trail,
  neighbours,
  children,
}: {
  /** Undefined until it is loaded. */
  item: MediaItem | undefined;
  /** The list that led to the item. */
  trail: ItemTrail | null;
  neighbours: Neighbours | null;
  /** Its actions. */
  children: ReactNode;
}) => {
  const from = trail?.from ?? libraryAddress();
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      {item ? <PageTitle>{item.filename}</PageTitle> : null}
      <div className="flex min-w-0 basis-full items-center gap-2 md:flex-1">
        <Button asChild variant="quiet" size="icon" className="max-sm:size-11">
          <Link to={from} aria-label={describeWay(from)} title={describeWay(from)}>
            <ArrowLeft aria-hidden />
          </Link>
        </Button>
        {item ? <ItemTitle key={item.id} item={item} /> : null}
        {neighbours ? <NeighbourLinks neighbours={neighbours} /> : null}
      </div>
      {children}
    </div>
  );
};

/** Where the way back leads. */
function describeWay(from: string): string {
  if (from.startsWith(paths.search)) return 'Back to the results';
  if (from.startsWith(paths.highlights)) return 'Back to the highlights';
  return /^\/(\?|$)/.test(from) ? 'Back to the library' : 'Back to the list';
}
