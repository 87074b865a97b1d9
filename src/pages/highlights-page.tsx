import { useQuery } from '@tanstack/react-query';
import { Ellipsis, LayoutGrid, Map as MapIcon, SlidersHorizontal, Sparkles, X } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { lazyPart } from '../api/parts.ts';
import { highlightsMapOptions, highlightsOptions } from '../api/queries.ts';
import { FilterBar } from '../features/filters/filter-bar.tsx';
import { MenuButton } from '../features/filters/menu-button.tsx';
import { highlightMethods, offeredMethods, readMethod } from '../features/highlights/highlight-methods.ts';
import { isInBox, readBox, writeBox } from '../features/highlights/map-box.ts';
import { useMapClips } from '../features/highlights/use-map-clips.ts';
import { LibraryLink } from '../features/library/library-link.tsx';
import { readItemFilter } from '../features/library/library-search.ts';
import { HitPlayer } from '../features/player/hit-player.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { useSaveSearch } from '../features/saved-searches/use-save-search.tsx';
import { HitResults } from '../features/search/hit-results.tsx';
import { HitSkeletons } from '../features/search/hit-rows.tsx';
import { duplicatesEntry, hidesDuplicates } from '../features/search/search-options.tsx';
import { hitControls } from '../hit-controls.tsx';
import { formatCount } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { useSearchState } from '../use-search-state.ts';

/** Moments shown at first, and after "Show more": as many as the API returns at once. */
const firstCount = 40;
const mostCount = 100;
/** How many moments stand out on the map. */
const standouts = 24;
/** The map is asked for again after so long, while a better one is computed. */
const retryMs = 1000;

const HighlightsMap = lazyPart(async () => (await import('../features/highlights/highlights-map.tsx')).HighlightsMap);

/** The most unusual moments, without any query: as pictures, or on a map of all. The URL holds all choices. */
export function HighlightsPage() {
  const [search] = useSearchState();
  const onMap = search.get('view') === 'map';
  const { text, about } = methodOf(search);
  const save = useSaveSearch(`Unusual moments: ${text}`);
  return (
    <>
      <PageTitle>Unusual moments</PageTitle>
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="text-xl font-semibold">Unusual moments</h1>
        <span className="ml-auto flex items-center gap-1">
          <ShowRequest of={onMap ? readMapOptions(search) : readCardsOptions(search)} />
          <MenuButton label="More" icon={Ellipsis} entries={save.entries} />
          {save.dialog}
        </span>
        <p className="min-h-10 basis-full text-quiet sm:min-h-0">{about}</p>
      </div>
      <HighlightsOptions onMap={onMap} />
      <div className="-mt-2 mb-3 sm:hidden">
        <HowUnusual />
      </div>
      {onMap ? <MapView /> : <CardsView />}
    </>
  );
}

const methodOf = (search: URLSearchParams) =>
  highlightMethods.find(({ value }) => value === readMethod(search)) ?? highlightMethods[0];

/** Filters, the view, how unusual, and what else the view can be asked for. */
function HighlightsOptions({ onMap }: { onMap: boolean }) {
  const [search, set] = useSearchState();
  return (
    <FilterBar
      search={search}
      onChange={(changes, how) => set({ ...changes, box: undefined }, how)}
      choices={
        <>
          <Choice
            label="View"
            value={onMap ? 'map' : undefined}
            options={[
              { value: undefined, text: 'Pictures', icon: LayoutGrid },
              { value: 'map', text: 'Map', icon: MapIcon },
            ]}
            onChange={(view) => set({ view, box: undefined })}
          />
          <span className="max-sm:hidden">
            <HowUnusual />
          </span>
        </>
      }
    >
      {onMap ? null : (
        <MenuButton label="View options" icon={SlidersHorizontal} entries={[duplicatesEntry(search, set)]} />
      )}
    </FilterBar>
  );
}

/** Compared with everything, or with what is similar. A phone has it in a row of its own, where all of it is seen. */
function HowUnusual() {
  const [search, set] = useSearchState();
  return (
    <Choice
      label="How unusual"
      value={readMethod(search)}
      options={offeredMethods(readMethod(search)).map(({ value, text, about }) => ({ value, text, title: about }))}
      onChange={(value) => set({ method: value })}
    />
  );
}

/** How many moments are shown, by the URL. */
const readCount = (search: URLSearchParams) =>
  [20, 50, mostCount].find((count) => String(count) === search.get('n')) ?? firstCount;

const readHighlightsFilter = (search: URLSearchParams) => ({
  method: readMethod(search),
  ...readItemFilter(search),
});

const readCardsOptions = (search: URLSearchParams) =>
  highlightsOptions({
    ...readHighlightsFilter(search),
    n: readCount(search),
    dedupe: hidesDuplicates(search),
  });

const readLayout = (search: URLSearchParams) => (search.get('layout') === 'pca' ? 'pca' : 'umap');

const readMapOptions = (search: URLSearchParams) =>
  highlightsMapOptions({ ...readHighlightsFilter(search), layout: readLayout(search), partial: true });

/** What was compared, and how, for those who want to know. Its room is there before the answer is. */
function Compared({ population, details }: { population: number | null; details?: string | undefined }) {
  const [search] = useSearchState();
  return (
    <details className="mb-3 text-quiet">
      <summary className="w-fit cursor-pointer">
        <span role="status">
          {population === null
            ? 'Comparing moments…'
            : `${formatCount(population)} ${population === 1 ? 'moment' : 'moments'} compared`}
        </span>
      </summary>
      <p className="mt-1">
        {methodOf(search).details}. {details}
      </p>
    </details>
  );
}

function CardsView() {
  const [search, set] = useSearchState();
  const highlights = useQuery(readCardsOptions(search));
  if (!highlights.data && !highlights.isPending) {
    return <QueryFailure error={highlights.error} onRetry={() => void highlights.refetch()} />;
  }
  const { data: hits, meta } = highlights.data ?? { data: [], meta: null };
  if (meta && hits.length === 0) return <NothingToCompare />;
  return (
    <>
      <Compared population={meta?.population ?? null} details={meta?.notice} />
      {meta ? (
        <HitResults
          hits={hits}
          stale={highlights.isPlaceholderData}
          scoreName="Uniqueness"
          openedId={search.get('hit')}
          onOpen={(hit, how) => set({ hit }, how)}
          unfoldedId={search.get('similar')}
          onUnfold={(similar) => set({ similar }, { replace: true })}
          renderHit={(hit, playing) => <HitPlayer {...playing} hit={hit} />}
          controls={hitControls}
        />
      ) : (
        <HitSkeletons />
      )}
      {meta && readCount(search) < mostCount && hits.length >= readCount(search) ? (
        <p className="mt-5 text-center">
          <Button onClick={() => set({ n: String(mostCount) }, { replace: true })}>Show more</Button>
        </p>
      ) : null}
    </>
  );
}

function MapView() {
  const [search, set] = useSearchState();
  const map = useQuery({
    ...readMapOptions(search),
    refetchInterval: ({ state }) => (state.data?.meta.complete === false ? retryMs : false),
  });
  const points = useMemo(() => map.data?.data ?? [], [map.data]);
  const openedId = search.get('hit');
  const boxText = search.get('box');
  const box = useMemo(() => readBox(boxText), [boxText]);
  const inside = useMemo(() => (box ? points.filter((point) => isInBox(point, box)) : []), [points, box]);
  const selected = useMapClips(inside.slice(0, mostCount));
  // A clip that is opened on the map need not be among the selected ones.
  const [outside] = useMapClips(points.filter(({ chunk_id: id }) => id === openedId));
  const open = (hit: string | undefined, how?: { replace?: boolean }) => set({ hit }, how);

  if (!map.data && !map.isPending) return <QueryFailure error={map.error} onRetry={() => void map.refetch()} />;
  if (map.data && points.length === 0) return <NothingToCompare />;
  return (
    <>
      <Compared
        population={map.data?.meta.population ?? null}
        details={layoutDetails[map.data?.meta.layout ?? 'umap']}
      />
      {map.data ? (
        <Suspense fallback={<MapSkeleton />}>
          <HighlightsMap
            points={points}
            labels={map.data.meta.labels}
            standouts={standouts}
            unfinished={!map.data.meta.complete}
            box={box}
            onBox={(next) => set({ box: next ? writeBox(next) : undefined })}
            onOpen={open}
          />
        </Suspense>
      ) : (
        <MapSkeleton />
      )}
      {box ? <SelectionHeading count={inside.length} onClear={() => set({ box: undefined })} /> : <MapHelp />}
      <HitResults
        hits={selected}
        outside={outside}
        stale={map.isPlaceholderData}
        scoreName="Uniqueness"
        openedId={openedId}
        onOpen={open}
        renderHit={(hit, playing) => <HitPlayer {...playing} hit={hit} />}
        controls={hitControls}
      />
    </>
  );
}

const MapHelp = () => (
  <p className="text-quiet">
    What looks alike is close together; the {standouts} most unusual moments have a coloured frame. Zoom in for more
    pictures, click one to open it, and drag with Select (or with Shift) to choose an area.
  </p>
);

/** How the map was laid out, for those who want to know. */
const layoutDetails = {
  umap: 'Laid out by nearest neighbours (UMAP).',
  pca: 'Laid out by the two largest differences (PCA).',
};

const SelectionHeading = ({ count, onClear }: { count: number; onClear: () => void }) => (
  <div className="mb-3 flex flex-wrap items-center gap-x-3">
    <h2 className="font-semibold">
      {formatCount(count)} {count === 1 ? 'moment' : 'moments'} selected
    </h2>
    {count > mostCount ? <p className="text-quiet">Showing the {mostCount} most unusual.</p> : null}
    <Button variant="quiet" size="small" onClick={onClear}>
      <X aria-hidden />
      Clear
    </Button>
  </div>
);

/** The room of the map, which the message stands still in. */
const MapSkeleton = () => (
  <div
    className="mb-5 grid h-[min(72dvh,52rem)] place-items-center rounded-card border border-line bg-surface"
    aria-busy="true"
  >
    <p className="text-ink">Comparing all moments…</p>
  </div>
);

const NothingToCompare = () => (
  <Notice icon={Sparkles} title="Nothing to compare" action={<LibraryLink />}>
    Unusual moments are those that differ most from all others. Add videos and photos, or remove a filter.
  </Notice>
);
