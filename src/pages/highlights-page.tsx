import { useQuery } from '@tanstack/react-query';
import { Sparkles } from 'lucide-react';
import { highlightsOptions } from '../api/queries.ts';
import { highlightMethods, readMethod } from '../features/highlights/highlight-methods.ts';
import { LabelFilters } from '../features/library/label-filters.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import { readType, TypeChoice } from '../features/library/type-choice.tsx';
import { HitPlayer } from '../features/player/hit-player.tsx';
import { HitResults, HitSkeletons } from '../features/search/hit-results.tsx';
import { formatCount } from '../lib/format.ts';
import { Choice } from '../ui/choice.tsx';
import { Notice } from '../ui/notice.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { Select } from '../ui/select.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { useSearchState } from '../use-search-state.ts';

const counts = ['20', '50', '100'] as const;

/** The most unusual clips, without any query. Method and filters are in the address. */
export function HighlightsPage() {
  const [search, set] = useSearchState();
  const method = readMethod(search);
  const n = counts.find((count) => count === search.get('n')) ?? '20';
  const dedupe = search.get('dedupe') === '1';
  const highlights = useQuery(
    highlightsOptions({
      method,
      n: Number(n),
      dedupe,
      type: readType(search),
      creator_id: search.get('creator') ?? undefined,
      category_id: search.get('category') ?? undefined,
    }),
  );
  const hits = highlights.data?.data ?? [];
  const meta = highlights.data?.meta;
  const about = highlightMethods.find(({ value }) => value === method)?.about;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h1 className="text-xl font-semibold">Highlights</h1>
        <p className="text-quiet" aria-live="polite">
          {about}
          {meta ? ` ${formatCount(meta.population)} clips compared.` : ''}
        </p>
      </div>
      <div className="mb-5 flex gap-2 overflow-x-auto pb-1">
        <Choice
          label="Method"
          value={method}
          options={[...highlightMethods]}
          onChange={(value) => set({ method: value })}
        />
        <TypeChoice value={readType(search)} onChange={(type) => set({ type })} />
        <LabelFilters
          creator={search.get('creator')}
          category={search.get('category')}
          onChange={(name, id) => set({ [name]: id })}
        />
        <Select
          hideLabel
          label="Number"
          value={n}
          options={counts.map((count) => ({ value: count, text: `${count} clips` }))}
          onChange={(count) => set({ n: count })}
          className="shrink-0"
        />
        <Toggle pressed={dedupe} onChange={(on) => set({ dedupe: on ? '1' : undefined })}>
          Each event once
        </Toggle>
      </div>
      {highlights.isPending ? <HitSkeletons /> : null}
      {highlights.isError && !highlights.data ? (
        <QueryFailure error={highlights.error} onRetry={() => void highlights.refetch()} />
      ) : null}
      {highlights.isSuccess && hits.length === 0 ? (
        <Notice icon={Sparkles} title="Nothing to compare" action={<LibraryLink />}>
          Highlights are the clips that differ most from all others. There are none of this kind yet.
        </Notice>
      ) : null}
      <HitResults
        hits={hits}
        stale={highlights.isPlaceholderData}
        openedId={search.get('hit')}
        onOpen={(hit, how) => set({ hit }, how)}
        renderHit={(hit) => <HitPlayer hit={hit} />}
      />
    </>
  );
}
