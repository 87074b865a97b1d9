import { useQuery } from '@tanstack/react-query';
import { Info, Search, SearchX } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import type { SearchHit } from '../api/generated/api.ts';
import { searchOptions } from '../api/queries.ts';
import { readType, TypeChoice } from '../features/library/type-choice.tsx';
import { SpanPlayer } from '../features/player/span-player.tsx';
import { HitCard } from '../features/search/hit-card.tsx';
import { HitDialog } from '../features/search/hit-dialog.tsx';
import { paths } from '../paths.ts';
import { cardGrid } from '../ui/card-grid.ts';
import { cn } from '../ui/cn.ts';
import { Notice } from '../ui/notice.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

const examples = ['blue sky', 'sunset', 'red on white', 'dark', 'green grass', 'black and white', 'fast', 'plain'];

/** Search by words. Query, filter and the hit that plays are in the address. */
export function SearchPage() {
  const [search, setSearch] = useSearchParams();
  const query = search.get('q')?.trim() ?? '';
  const type = readType(search);
  const results = useQuery(searchOptions(query, type));
  const set = (name: string, value: string | undefined, replace = false) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace },
    );

  if (query === '') return <Invitation />;
  const hits = results.data?.data ?? [];
  const meta = results.data?.meta;
  const open = hits.findIndex((hit) => hit.chunk_id === search.get('hit'));
  const opened = hits[open];
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="min-w-0 truncate text-xl font-semibold">{query}</h1>
        {meta ? (
          <p className="text-quiet tabular-nums" aria-live="polite">
            {hits.length} {hits.length === 1 ? 'hit' : 'hits'} · {Math.max(1, Math.round(meta.took_ms))} ms ·{' '}
            {meta.embedder}
          </p>
        ) : null}
        <div className="sm:ml-auto">
          <TypeChoice value={type} onChange={(value) => set('type', value)} />
        </div>
      </div>
      {meta?.notice ? (
        <p
          role="status"
          className="mb-4 flex gap-2 rounded-control border border-line bg-surface px-3 py-2.5 text-quiet"
        >
          <Info className="mt-0.5 size-4 shrink-0" aria-hidden />
          {meta.notice}
        </p>
      ) : null}
      {results.isPending ? <Skeletons /> : null}
      {results.isError && !results.data ? (
        <QueryFailure error={results.error} onRetry={() => void results.refetch()} />
      ) : null}
      {results.isSuccess && hits.length === 0 ? (
        <Notice icon={SearchX} title="Nothing found" action={<Examples />}>
          No picture and no text in this workspace fits. Try other words, such as these.
        </Notice>
      ) : null}
      <div className={cn('transition-opacity', results.isPlaceholderData && 'opacity-60')}>
        <Hits hits={hits.filter(({ weak }) => !weak)} label="Hits" onOpen={(id) => set('hit', id)} />
        {hits.some(({ weak }) => weak) ? (
          <>
            <h2 className="my-5 flex items-center gap-3 text-xs font-medium text-quiet after:h-px after:flex-1 after:bg-line">
              Weaker matches
            </h2>
            <Hits hits={hits.filter(({ weak }) => weak)} label="Weaker matches" onOpen={(id) => set('hit', id)} />
          </>
        ) : null}
      </div>
      {opened ? (
        <HitDialog
          hit={opened}
          onClose={() => set('hit', undefined, true)}
          onPrevious={open > 0 ? () => set('hit', hits[open - 1]?.chunk_id, true) : null}
          onNext={open < hits.length - 1 ? () => set('hit', hits[open + 1]?.chunk_id, true) : null}
        >
          {opened.type === 'video' ? (
            <SpanPlayer
              key={opened.chunk_id}
              url={opened.url}
              poster={opened.thumbnail}
              start={opened.start}
              end={opened.end}
            />
          ) : (
            <img src={opened.url} alt={opened.filename} className="mx-auto max-h-[65dvh] object-contain" />
          )}
        </HitDialog>
      ) : null}
    </>
  );
}

function Hits({ hits, label, onOpen }: { hits: SearchHit[]; label: string; onOpen: (chunkId: string) => void }) {
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

function Skeletons() {
  return (
    <div className={cardGrid} aria-busy="true" aria-label="Searching">
      {Array.from({ length: 10 }, (_, i) => (
        <div key={i} className="aspect-[4/3] animate-pulse rounded-card bg-raised" />
      ))}
    </div>
  );
}

function Invitation() {
  return (
    <Notice icon={Search} title="Describe a moment" action={<Examples />}>
      Say what it looks like: colours and where they are, light, texture, motion. Words in subtitles and file names are
      found too. Press <kbd className="rounded border border-line bg-surface px-1.5">/</kbd> to type.
    </Notice>
  );
}

const Examples = () => (
  <>
    {examples.map((example) => (
      <Link
        key={example}
        to={paths.searchFor(example)}
        className="rounded-full border border-line bg-surface px-3 py-1.5 text-[13px] transition-colors hover:bg-raised"
      >
        {example}
      </Link>
    ))}
  </>
);
