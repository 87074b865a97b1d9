import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import type { Ref } from 'react';
import type { Clip, SearchHit } from '../../api/generated/api/index.ts';
import { clipsOptions } from '../../api/queries.ts';
import { describeError } from '../../lib/describe-error.ts';
import { formatCount } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cardGrid } from '../../ui/card-grid.ts';
import { HitCard } from './hit-card.tsx';

/** As many clips as can be asked for at once. */
const maxClips = 100;

type Similar = UseQueryResult<Clip[]>;

/** The near-duplicates that a hit stands for, in their order. Asks for nothing where there are none. */
export function useSimilar(hit: SearchHit | undefined): Similar {
  const ids = hit?.duplicates?.map(({ chunk_id: id }) => id) ?? [];
  return useQuery(clipsOptions(ids.slice(0, maxClips)));
}

/** Unfolds what is nearly the same as a hit, and folds it again. */
export const SimilarButton = ({
  hit,
  count,
  isUnfolded,
  ref,
  onClick,
}: {
  hit: SearchHit;
  count: number;
  isUnfolded: boolean;
  ref: Ref<HTMLButtonElement>;
  onClick: () => void;
}) => {
  const Icon = isUnfolded ? ChevronUp : ChevronDown;
  return (
    <Button
      ref={ref}
      variant={isUnfolded ? 'pressed' : 'quiet'}
      size="small"
      aria-expanded={isUnfolded}
      aria-label={`${formatCount(count)} similar to ${hit.filename}`}
      onClick={onClick}
    >
      {formatCount(count)} similar
      <Icon aria-hidden />
    </Button>
  );
};

/** What is nearly the same as a hit, as cards below its row. Escape folds it. */
export function SimilarClips({
  hit,
  similar,
  onOpen,
  onFold,
}: {
  hit: SearchHit;
  similar: Similar;
  onOpen: (chunkId: string) => void;
  onFold: () => void;
}) {
  const count = hit.duplicates?.length ?? 0;
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- hears the keys of the buttons in it
    <section
      aria-label={`Similar to ${hit.filename}`}
      className="rounded-card bg-raised p-3"
      onKeyDown={(event) => event.key === 'Escape' && onFold()}
    >
      <header className="mb-2 flex items-center gap-2">
        <p className="min-w-0 flex-1 truncate text-label">
          Similar to <span className="font-medium">{hit.filename}</span>
        </p>
        <IconButton icon={X} label="Hide similar" size="smallIcon" onClick={onFold} />
      </header>
      {similar.isError ? (
        <p role="alert" className="flex flex-wrap items-center gap-2 text-danger">
          {describeError(similar.error)}
          <Button size="small" onClick={() => void similar.refetch()}>
            Try again
          </Button>
        </p>
      ) : null}
      <ul className={cardGrid} aria-busy={similar.isPending}>
        {similar.isPending
          ? Array.from({ length: Math.min(count, maxClips) }, (_, i) => (
              <li key={i} className="aspect-[4/3] animate-pulse rounded-card bg-surface" />
            ))
          : similar.data?.map((clip) => (
              <li key={clip.chunk_id} className="grid">
                <HitCard hit={clip} onOpen={() => onOpen(clip.chunk_id)} />
              </li>
            ))}
      </ul>
      {count > maxClips ? (
        <p className="mt-2 text-label text-quiet">
          The first {maxClips} of {formatCount(count)} are shown.
        </p>
      ) : null}
    </section>
  );
}
