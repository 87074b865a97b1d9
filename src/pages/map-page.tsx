import { useQuery } from '@tanstack/react-query';
import { MapPinned } from 'lucide-react';
import { Suspense } from 'react';
import { lazyPart } from '../api/parts.ts';
import { placesOptions } from '../api/queries.ts';
import { FilterBar } from '../features/filters/filter-bar.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import { isFiltered, readFilter, withoutAllFilters } from '../features/library/library-search.ts';
import { readView, writeView } from '../features/places/map-area.ts';
import { ShowRequest } from '../features/request/show-request.tsx';
import { formatCount } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { useSearchState } from '../use-search-state.ts';

const PlaceMap = lazyPart(async () => (await import('../features/places/place-map.tsx')).PlaceMap);

/** Where items were recorded. The URL holds the filters and what the map shows. */
export function MapPage() {
  const [search, set] = useSearchState();
  const { sort: _sort, ...filter } = readFilter(search);
  const options = placesOptions(filter, { zoom: 0 });
  const { data, isPending, error, refetch } = useQuery(options);
  const located = data?.meta.located ?? 0;
  return (
    <>
      <PageTitle>Map</PageTitle>
      <div className="mb-3 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1">
        <h1 className="text-xl font-semibold">Map</h1>
        <p className="text-quiet tabular-nums" aria-live="polite">
          {data && located > 0
            ? `${formatCount(located)} ${located === 1 ? 'item has' : 'items have'} a position`
            : null}
        </p>
        <span className="ml-auto">
          <ShowRequest of={options} />
        </span>
      </div>
      <FilterBar search={search} listed onChange={set} />
      {isPending ? <Loading /> : null}
      {error && !data ? <QueryFailure error={error} onRetry={() => void refetch()} /> : null}
      {data && located === 0 ? <Nothing filtered={isFiltered(filter)} onClear={() => set(withoutAllFilters)} /> : null}
      {data && located > 0 ? (
        <Suspense fallback={<Loading />}>
          <PlaceMap
            filter={filter}
            search={search}
            located={data.meta.box}
            tiles={data.meta.tiles}
            view={readView(search.get('at'))}
            onView={(view) => set({ at: writeView(view) }, { replace: true })}
          />
        </Suspense>
      ) : null}
    </>
  );
}

const Loading = () => (
  <div
    role="status"
    aria-busy="true"
    aria-label="Loading"
    className="h-[max(24rem,calc(100dvh-15rem))] animate-pulse rounded-card bg-raised max-sm:h-[max(22rem,calc(100dvh-17rem))]"
  />
);

const Nothing = ({ filtered, onClear }: { filtered: boolean; onClear: () => void }) =>
  filtered ? (
    <Notice
      icon={MapPinned}
      title="Nothing here has a position"
      action={<Button onClick={onClear}>Clear the filters</Button>}
    >
      No item that passes the filters says where it was recorded.
    </Notice>
  ) : (
    <Notice icon={MapPinned} title="No places yet" action={<LibraryLink />}>
      Phones and cameras with a receiver write into each photo and video where it was recorded. Upload such originals
      and they appear here; pictures that were sent by a messenger have mostly lost their place.
    </Notice>
  );
