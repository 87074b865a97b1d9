import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Images, X } from 'lucide-react';
import type { Ref } from 'react';
import type { Clip, SearchHit } from '../../api/generated/api/index.ts';
import { clipsOptions } from '../../api/queries.ts';
import { describeError } from '../../lib/describe-error.ts';
import { formatCount } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { HitRows } from './hit-rows.tsx';
import { HitTile } from './hit-tile.tsx';

/** As many clips as can be asked for at once. */
const maxClips = 100;

type Similar = UseQueryResult<Clip[]>;

/** The near-duplicates that a hit stands for, in their order. Asks for nothing where there are none. */
export function useSimilar(hit: SearchHit | undefined): Similar {
  const ids = hit?.duplicates?.map(({ chunk_id: id }) => id) ?? [];
  return useQuery(clipsOptions(ids.slice(0, maxClips)));
}

/** Unfolds what is nearly the same as a hit, and folds it again: a small stack in the corner of its picture. */
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
}) => (
  <button
    ref={ref}
    type="button"
    aria-expanded={isUnfolded}
    aria-label={`${formatCount(count)} similar to ${hit.filename}`}
    title={`${formatCount(count)} similar`}
    onClick={onClick}
    className={clsx(
      // A finger meets more than it sees.
      'absolute top-1.5 left-1.5 inline-flex h-6 items-center gap-1 rounded-full px-2 text-xs font-medium tabular-nums before:absolute before:-inset-1.5 pointer-coarse:before:-inset-2.5',
      isUnfolded ? 'bg-accent text-accent-ink' : 'bg-black/60 text-white hover:bg-black/80',
    )}
  >
    <Images className="size-3.5" aria-hidden />+{formatCount(count)}
  </button>
);

/** What is nearly the same as a hit, below its row. Escape folds it. */
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
      {similar.isPending ? (
        <div className="flex h-39 animate-pulse gap-2 sm:h-45 lg:h-54" aria-busy="true">
          {Array.from({ length: Math.min(count, 4) }, (_, i) => (
            <div key={i} className="max-w-80 flex-1 rounded-control bg-surface" />
          ))}
        </div>
      ) : (
        <HitRows
          hits={similar.data ?? []}
          renderTile={(clip, size) => (
            <HitTile {...size} hit={clip} rated={false} onOpen={() => onOpen(clip.chunk_id)} />
          )}
        />
      )}
      {count > maxClips ? (
        <p className="mt-2 text-label text-quiet">
          The first {maxClips} of {formatCount(count)} are shown.
        </p>
      ) : null}
    </section>
  );
}
