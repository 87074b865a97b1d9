import { hashKey, useQuery } from '@tanstack/react-query';
import { Ellipsis, ImageOff, SlidersHorizontal, TextCursorInput } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { SearchHit, SearchMediaResponse } from '../api/generated/api/index.ts';
import { searchOptions, type SearchSource } from '../api/queries.ts';
import type { DescribedQuery } from '../api/request.ts';
import { useExportHits } from '../features/export/use-export-hits.tsx';
import { FilterBar } from '../features/filters/filter-bar.tsx';
import { MenuButton } from '../features/filters/menu-button.tsx';
import { isFiltered, readItemFilter, withoutItemFilters } from '../features/library/library-search.ts';
import { HitPlayer } from '../features/player/hit-player.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { useSaveSearch } from '../features/saved-searches/use-save-search.tsx';
import { AlsoLine } from '../features/search/also-line.tsx';
import { ConditionChips, filtersInUrl } from '../features/search/condition-chips.tsx';
import { CombineButton, ExpressionBar } from '../features/search/expression-bar.tsx';
import { HitResults, type Playing } from '../features/search/hit-results.tsx';
import { HitSkeletons } from '../features/search/hit-rows.tsx';
import { MoreHits } from '../features/search/more-hits.tsx';
import { NoHits } from '../features/search/no-hits.tsx';
import { restoreQueryImage } from '../features/search/query-images.ts';
import { isTooLong, tooLongSentence } from '../features/search/query-length.ts';
import { ResultDetails } from '../features/search/result-details.tsx';
import { ResultNotice } from '../features/search/result-notice.tsx';
import { SearchInMenu } from '../features/search/search-in-menu.tsx';
import { hidesDuplicates, readCount, searchEntries } from '../features/search/search-options.tsx';
import { readSource } from '../features/search/search-source.ts';
import { SearchStart } from '../features/search/search-start.tsx';
import type { ShownHit } from '../features/search/shown-hit.ts';
import { SourceHeading } from '../features/search/source-heading.tsx';
import { useFocusOnMore, useSteadyHits } from '../features/search/steady-hits.ts';
import { hitControls } from '../hit-controls.tsx';
import { formatCount } from '../lib/format.ts';
import { rememberSearch } from '../lib/recent-searches.ts';
import { readItemQuery, readSearchIn, writeSearchIn } from '../lib/search-in.ts';
import { readMoment, toMoment } from '../lib/timecode.ts';
import { focusContent } from '../ui/focus-content.ts';
import { Notice } from '../ui/notice.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { useSearchState } from '../use-search-state.ts';

/** Search by words or by an image. The URL holds the query, the filters and the hit that plays. */
export function SearchPage() {
  const [search] = useSearchState();
  const source = readSource(search);
  if (source === null) return <SearchStart />;
  if (source === 'lost') return <StoredImage name={search.get('image') ?? ''} />;
  if ('words' in source && isTooLong(source.words)) return <TooLong />;
  return <Results source={source} />;
}

/** Reads the image that was searched by before the page was loaded again. */
function StoredImage({ name }: { name: string }) {
  const [search] = useSearchState();
  const also = search.get('with')?.trim();
  const image = useQuery({ queryKey: ['query image', name], queryFn: () => restoreQueryImage(name), retry: false });
  if (image.isPending) return <HitSkeletons />;
  if (image.data) return <Results source={{ ...image.data, ...(also ? { also } : {}) }} />;
  return (
    <Notice page icon={ImageOff} title="The image is no longer available">
      This browser keeps the last ten images that were searched by. Choose, paste or drop it again.
    </Notice>
  );
}

/** The search that the URL describes, for `n` hits. */
const readOptions = (source: SearchSource, search: URLSearchParams, n: number) =>
  searchOptions(source, {
    n,
    dedupe: hidesDuplicates(search),
    rerank: search.get('rerank') === '1' || undefined,
    ...('words' in source
      ? {
          in: writeSearchIn(readSearchIn(search.get('in'))),
          as_written: search.get('written') === '1',
          as_words: search.get('as_words') ?? undefined,
          time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
        }
      : {}),
    ...readItemFilter(search),
  });

const TooLong = () => (
  <Notice page icon={TextCursorInput} title={tooLongSentence}>
    Describe what is seen, said or written in fewer words: the first 32 of them count.
  </Notice>
);

/** The answer to the search in the address, or what stands in its place. */
function useResults(source: SearchSource, count: number) {
  const [search] = useSearchState();
  const options = readOptions(source, search, count);
  const results = useQuery(options);
  const answer = results.isPlaceholderData ? undefined : results.data;
  const steady = useSteadyHits(hashKey(readOptions(source, search, 0).queryKey), count, answer);
  // The pictures of another search stay while this one has no answer, and no longer than it may still get one.
  const failure = steady ? null : (results.error ?? results.failureReason);
  const isStale = !answer && !steady && !failure && results.data !== undefined;
  return {
    options,
    results,
    answer,
    failure,
    isStale,
    isAnswered: steady !== null,
    hits: steady ?? (isStale ? (results.data?.data ?? []) : []),
    meta: steady ? results.data?.meta : undefined,
  };
}

function Results({ source }: { source: SearchSource }) {
  const [search] = useSearchState();
  const count = readCount(search);
  const found = useResults(source, count);
  const { hits, meta, answer, failure, isStale, isAnswered, results } = found;
  const byWords = 'words' in source;
  const answered = byWords && answer ? source.words : null;
  // Of which words the line for another description is open.
  const [addingTo, setAddingTo] = useState<string | null>(null);
  const isAdding = byWords && addingTo === source.words;
  const combine = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (answered !== null) rememberSearch(answered);
  }, [answered]);
  return (
    <>
      <Heading source={source} hits={isStale ? [] : hits} of={found.options}>
        <Summary hits={hits} count={count} isStale={isStale} isAnswered={isAnswered} />
      </Heading>
      {meta?.conditions ? <Conditions conditions={meta.conditions} /> : null}
      <Joined
        source={source}
        meta={meta}
        isAdding={isAdding}
        onClose={() => {
          setAddingTo(null);
          combine.current?.focus();
        }}
      />
      <Options byWords={byWords}>
        {byWords ? (
          <CombineButton
            ref={combine}
            isAdding={isAdding}
            onClick={() => setAddingTo(isAdding ? null : source.words)}
          />
        ) : null}
      </Options>
      {meta ? <Notices meta={meta} found={hits.length > 0} /> : null}
      {results.isPending && !isAnswered && !failure ? <HitSkeletons /> : null}
      {failure ? <QueryFailure error={failure} onRetry={() => void results.refetch()} /> : null}
      {answer && hits.length === 0 ? <Nothing byWords={byWords} unknownTerms={meta?.unknown_terms ?? []} /> : null}
      <FoundHits {...found} count={count} />
      {meta && hits.length > 0 ? <ResultDetails meta={meta} hits={hits} /> : null}
    </>
  );
}

/** What is joined to the words or the image that is searched by. */
function Joined({
  source,
  meta,
  isAdding,
  onClose,
}: {
  source: SearchSource;
  meta: SearchMediaResponse['meta'] | undefined;
  isAdding: boolean;
  onClose: () => void;
}) {
  const [, set] = useSearchState();
  if (!('words' in source)) {
    const { also } = source;
    return <AlsoLine key={also} words={also ?? ''} onChange={(words) => set({ with: words, hit: undefined })} />;
  }
  const change = (q: string) => {
    // The chips hold no conditions: those stay as filters.
    const filters = (meta?.conditions ?? []).filter(({ certain }) => certain);
    const inUrl = Object.assign({}, ...filters.map(({ parameters }) => filtersInUrl(parameters))) as Record<
      string,
      string
    >;
    set({ ...inUrl, q, hit: undefined, t: undefined });
  };
  return (
    <ExpressionBar
      key={source.words}
      query={source.words}
      expression={meta?.expression}
      isAdding={isAdding}
      onChange={change}
      onClose={onClose}
    />
  );
}

/** What the words say of which items are meant. */
function Conditions({ conditions }: { conditions: NonNullable<SearchMediaResponse['meta']['conditions']> }) {
  const [search, set] = useSearchState();
  const asWords = (search.get('as_words') ?? '').split(',').filter((field) => field !== '');
  return (
    <ConditionChips
      conditions={conditions}
      onRemove={({ field }) => set({ as_words: [...asWords, field].join(',') })}
      onFilter={({ parameters }) => set(filtersInUrl(parameters))}
    />
  );
}

/** The hits, the one that is open, and the way to more. */
function FoundHits({
  hits,
  answer,
  isStale,
  isAnswered,
  results,
  count,
}: Omit<ReturnType<typeof useResults>, 'meta' | 'options'> & { count: number }) {
  const [search, set] = useSearchState();
  const focusOnMore = useFocusOnMore(hits);
  const hasMore = isAnswered && hits.length > 0 && (!answer || hits.length >= count);
  return (
    <HitResults
      hits={hits}
      stale={isStale}
      openedId={search.get('hit')}
      onOpen={(hit, { replace = false, moment } = {}) =>
        set({ hit, t: moment === undefined ? undefined : String(toMoment(moment)) }, { replace })
      }
      unfoldedId={search.get('similar')}
      onUnfold={(similar) => set({ similar }, { replace: true })}
      grouped={search.get('group') === '1'}
      renderHit={(hit, playing) => <OpenedHit {...playing} hit={hit} />}
      controls={hitControls}
      more={
        hasMore ? (
          <MoreHits
            count={count}
            loading={results.isFetching && !answer}
            failure={results.isError && !answer ? results.error.message : null}
            onMore={(n) => {
              focusOnMore();
              set({ n: String(n) }, { replace: true });
            }}
            onRetry={() => void results.refetch()}
          />
        ) : null
      }
    />
  );
}

/** What the service says of the results. Where nothing was found because of words that it does not understand, that is said in their place. */
function Notices({ meta, found }: { meta: SearchMediaResponse['meta']; found: boolean }) {
  const [, set] = useSearchState();
  if (!meta.notice || (!found && meta.unknown_terms && !meta.suggested_query)) return null;
  return (
    <ResultNotice
      meta={meta}
      onSearch={(changes) => {
        set(changes);
        // The link that was pressed goes away with the notice.
        focusContent();
      }}
    />
  );
}

/** Says that nothing was found, and what limits the search. */
function Nothing({ byWords, unknownTerms }: { byWords: boolean; unknownTerms: string[] }) {
  const [search, set] = useSearchState();
  const change = (changes: Parameters<typeof set>[0]) => {
    set(changes);
    // The button that was pressed goes away with the notice.
    focusContent();
  };
  return (
    <NoHits
      unknownTerms={unknownTerms}
      filtered={isFiltered(readItemFilter(search))}
      onClearFilters={() => change(withoutItemFilters)}
      searchedIn={byWords ? readSearchIn(search.get('in')) : []}
      onSearchEverywhere={() => change({ in: undefined })}
    />
  );
}

/** Plays a hit from its start, or from the moment in the URL. */
function OpenedHit({ hit, ...playing }: Playing & { hit: ShownHit }) {
  const [search] = useSearchState();
  return (
    <HitPlayer
      {...playing}
      hit={hit}
      texts={hit.signals?.matches ?? []}
      begin={readMoment(search.get('t'))}
      query={readItemQuery(search)}
    />
  );
}

const nameOf = (source: SearchSource): string => ('words' in source ? source.words : 'Similar scenes');

/** What is searched by, what was found, and what can be done with it. */
const Heading = ({
  source,
  hits,
  of,
  children,
}: {
  source: SearchSource;
  hits: SearchHit[];
  of: DescribedQuery;
  children: ReactNode;
}) => (
  <div className="mb-3 flex items-start gap-4">
    <div className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
      <SourceHeading source={source} />
      {children}
    </div>
    <span className="flex items-center gap-1">
      <ShowRequest of={of} />
      <More hits={hits} name={nameOf(source)} />
    </span>
  </div>
);

/** What is done seldom with a search: saving it, and a list of its hits. */
function More({ hits, name }: { hits: SearchHit[]; name: string }) {
  const save = useSaveSearch(name);
  const list = useExportHits(hits, name);
  return (
    <>
      <MenuButton label="More" icon={Ellipsis} entries={[...save.entries, ...list.entries]} />
      {save.dialog}
      {list.dialog}
    </>
  );
}

/**
 * The filters of the search, and how its results are shown.
 * @param children what else is searched for
 */
function Options({ byWords, children }: { byWords: boolean; children: ReactNode }) {
  const [search, set] = useSearchState();
  return (
    <FilterBar
      search={search}
      onChange={set}
      choices={
        byWords ? (
          <>
            <SearchInMenu searchedIn={search.get('in')} onChange={(places) => set({ in: places })} />
            {children}
          </>
        ) : null
      }
    >
      <MenuButton label="View options" icon={SlidersHorizontal} entries={searchEntries(search, set)} />
    </FilterBar>
  );
}

/**
 * How many results there are. The service does not count what it could find: where it returns as many as it was asked for there may be more. While
 * the pictures of another search are shown, it says that.
 * @param count how many were asked for
 */
function Summary({
  hits,
  count,
  isStale,
  isAnswered,
}: {
  hits: SearchHit[];
  count: number;
  isStale: boolean;
  isAnswered: boolean;
}) {
  const similar = hits.reduce((sum, { duplicates = [] }) => sum + duplicates.length, 0);
  const clear = hits.filter(({ weak }) => !weak).length;
  const weak = hits.length - clear;
  const parts = [
    ...(weak === 0 && hits.length >= count ? [`Top ${clear} results`] : []),
    ...(weak === 0 && hits.length < count ? [clear === 1 ? '1 result' : `${clear} results`] : []),
    ...(weak > 0 ? [clear === 0 ? 'No clear matches' : clear === 1 ? '1 result' : `${clear} results`] : []),
    ...(weak > 0 ? [`${formatCount(weak)} weaker`] : []),
    ...(similar > 0 ? [`${formatCount(similar)} similar hidden`] : []),
  ];
  return (
    // It has its room before it has its words.
    <p className="min-h-5 basis-full text-quiet tabular-nums md:basis-auto" aria-live="polite">
      {isStale ? 'Searching… Below are the results of the search before.' : isAnswered ? parts.join(' · ') : null}
    </p>
  );
}
