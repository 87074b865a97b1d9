import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';

/** A row of weak hits hides nothing, and in a library of a few items it may be what one looks for; more are folded. */
const mostWeakShown = 5;

/** The weak hits, folded where they are many. When one is opened, by a link or as the next in the player, they stay on the page after it. */
export function WeakerMatches({
  count,
  followsOthers,
  isOpened,
  children,
}: {
  count: number;
  /** Whether clear hits stand above them. */
  followsOthers: boolean;
  isOpened: boolean;
  children: ReactNode;
}) {
  const query = useSearchParams()[0].get('q') ?? '';
  const [shownFor, setShownFor] = useState<string | null>(null);
  const isFolded = count > mostWeakShown;
  const isShown = !isFolded || shownFor === query;
  if (isOpened && !isShown) setShownFor(query);
  return (
    <>
      {isFolded || followsOthers ? (
        <div className="my-5 flex items-center gap-3 text-quiet after:h-px after:flex-1 after:bg-line">
          {isFolded ? (
            <Button
              variant="quiet"
              className="-ml-3"
              aria-expanded={isShown}
              onClick={() => setShownFor(isShown ? null : query)}
            >
              {isShown ? 'Hide weaker matches' : `Show ${formatCount(count)} weaker matches`}
            </Button>
          ) : (
            <h2 className="text-xs font-medium">Weaker matches</h2>
          )}
        </div>
      ) : null}
      {isShown ? children : null}
    </>
  );
}
