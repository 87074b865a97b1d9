import type { ReactNode } from 'react';
import type { SearchHit } from '../../api/generated/api.ts';
import { cardGrid } from '../../ui/card-grid.ts';
import { cn } from '../../ui/cn.ts';
import { HitCard } from './hit-card.tsx';
import { HitDialog } from './hit-dialog.tsx';

/**
 * Hits as cards, a line where they grow weak, and the one that is opened.
 * @param openedId chunk of the opened hit, from the address
 * @param renderHit shows a hit's clip or picture
 */
export function HitResults({
  hits,
  stale,
  openedId,
  onOpen,
  renderHit,
}: {
  hits: SearchHit[];
  /** Whether these are the hits of before, while the next are on their way. */
  stale: boolean;
  openedId: string | null;
  onOpen: (chunkId: string | undefined, how?: { replace: boolean }) => void;
  renderHit: (hit: SearchHit) => ReactNode;
}) {
  const open = hits.findIndex((hit) => hit.chunk_id === openedId);
  const opened = hits[open];
  const strong = hits.filter(({ weak }) => !weak);
  const weak = hits.filter(({ weak: isWeak }) => isWeak);
  const go = (to: number) => onOpen(hits[to]?.chunk_id, { replace: true });
  return (
    <div className={cn('transition-opacity', stale && 'opacity-60')}>
      <Cards hits={strong} label="Hits" onOpen={onOpen} />
      {weak.length > 0 ? (
        <>
          <h2 className="my-5 flex items-center gap-3 text-xs font-medium text-quiet after:h-px after:flex-1 after:bg-line">
            Weaker matches
          </h2>
          <Cards hits={weak} label="Weaker matches" onOpen={onOpen} />
        </>
      ) : null}
      {opened ? (
        <HitDialog
          hit={opened}
          onClose={() => onOpen(undefined, { replace: true })}
          onPrevious={open > 0 ? () => go(open - 1) : null}
          onNext={open < hits.length - 1 ? () => go(open + 1) : null}
        >
          {renderHit(opened)}
        </HitDialog>
      ) : null}
    </div>
  );
}

function Cards({ hits, label, onOpen }: { hits: SearchHit[]; label: string; onOpen: (chunkId: string) => void }) {
  if (hits.length === 0) return null;
  return (
    <ul className={cardGrid} aria-label={label}>
      {hits.map((hit) => (
        <li key={hit.chunk_id} className="grid">
          <HitCard hit={hit} onOpen={() => onOpen(hit.chunk_id)} />
        </li>
      ))}
    </ul>
  );
}

/** Stands where hits will be. */
export function HitSkeletons() {
  return (
    <div className={cardGrid} aria-busy="true" aria-label="Searching">
      {Array.from({ length: 10 }, (_, i) => (
        <div key={i} className="aspect-[4/3] animate-pulse rounded-card bg-raised" />
      ))}
    </div>
  );
}
