import { useQuery } from '@tanstack/react-query';
import { Ellipsis, LayoutGrid, ScatterChart, SlidersHorizontal, Sparkles, X } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { lazyPart } from '../api/parts.ts';
import { highlightsMapOptions, highlightsOptions } from '../api/queries.ts';
import { FilterBar } from '../features/filters/filter-bar.tsx';
import { MenuButton } from '../features/filters/menu-button.tsx';
import { highlightMethods, readMethod } from '../features/highlights/highlight-methods.ts';
import { isInBox, readBox, writeBox } from '../features/highlights/map-box.ts';
import { useMapClips } from '../features/highlights/use-map-clips.ts';
import { LibraryLink } from '../features/library/library-link.tsx';
import { readItemFilter } from '../features/library/library-search.ts';
import { HitPlayer } from '../features/player/hit-player.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { useSaveSearch } from '../features/saved-searches/use-save-search.tsx';
import { HitResults, HitSkeletons } from '../features/search/hit-results.tsx';
import { countEntry, duplicatesEntry, hidesDuplicates } from '../features/search/search-options.tsx';
import { renderCorner, renderActions } from '../hit-controls.tsx';
import { formatCount } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import type { MenuEntry } from '../ui/popup-menu.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { useSearchState } from '../use-search-state.ts';

const counts = ['20', '50', '100'] as const;
/** Cards shown of what is selected on the map; as many as the API returns at once. */
const maxCards = 100;

const HighlightsMap = lazyPart(async () => (await import('../features/highlights/highlights-map.tsx')).HighlightsMap);

/** The most unusual clips, without any query: as cards, or on a map of all. The URL holds all choices. */
export function HighlightsPage() {
  const [search] = useSearchState();
  const method = readMethod(search);
  const onMap = search.get('view') === 'map';
  const { text, about } = highlightMethods.find(({ value }) => value === method) ?? highlightMethods[0];
  const save = useSaveSearch(`Highlights: ${text}`);
  return (
    <>
      <PageTitle>Highlights</PageTitle>
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h1 className="text-xl font-semibold">Highlights</h1>
        <span className="ml-auto flex items-center gap-1 self-center md:order-last">
          <ShowRequest of={onMap ? readMapOptions(search) : readCardsOptions(search)} />
          <MenuButton label="More" icon={Ellipsis} entries={save.entries} />
          {save.dialog}
        </span>
        <p className="basis-full text-quiet md:basis-auto">{about}</p>
      </div>
      <HighlightsOptions onMap={onMap} />
      {onMap ? <MapView /> : <CardsView />}
    </>
  );
}

/** View, method, filters and what else the view can be asked for. */
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
              { value: undefined, text: 'Cards', icon: LayoutGrid },
              { value: 'map', text: 'Map', icon: ScatterChart },
            ]}
            onChange={(view) => set({ view, box: undefined })}
          />
          <Choice
            label="Method"
            value={readMethod(search)}
            options={[...highlightMethods]}
            onChange={(value) => set({ method: value })}
          />
        </>
      }
    >
      <MenuButton label="View options" icon={SlidersHorizontal} entries={viewEntries(search, set, onMap)} />
    </FilterBar>
  );
}

/** How many are shown, and what else differs between cards and the map. */
const viewEntries = (
  search: URLSearchParams,
  set: (changes: Record<string, string | undefined>) => void,
  onMap: boolean,
): MenuEntry[] => [
  onMap
    ? {
        kind: 'check',
        text: 'Cluster',
        about: 'Groups similar scenes instead of spreading them by their largest differences',
        checked: readLayout(search) === 'umap',
        onChange: (on) => set({ layout: on ? 'umap' : undefined, box: undefined }),
      }
    : duplicatesEntry(search, set),
  countEntry(readCount(search), counts, set),
];

const readCount = (search: URLSearchParams) => counts.find((count) => count === search.get('n')) ?? '20';

const readHighlightsFilter = (search: URLSearchParams) => ({
  method: readMethod(search),
  ...readItemFilter(search),
});

const readCardsOptions = (search: URLSearchParams) =>
  highlightsOptions({
    ...readHighlightsFilter(search),
    n: Number(readCount(search)),
    dedupe: hidesDuplicates(search),
  });

const readLayout = (search: URLSearchParams) => (search.get('layout') === 'umap' ? 'umap' : 'pca');

const readMapOptions = (search: URLSearchParams) =>
  highlightsMapOptions({ ...readHighlightsFilter(search), layout: readLayout(search) });

const Compared = ({ population, notice }: { population: number; notice?: string | undefined }) => (
  <p className="mb-3 text-quiet" role="status">
    {formatCount(population)} {population === 1 ? 'scene' : 'scenes'} compared. {notice}
  </p>
);

function CardsView() {
  const [search, set] = useSearchState();
  const highlights = useQuery(readCardsOptions(search));
  if (highlights.isPending) return <HitSkeletons />;
  if (!highlights.data) {
    return <QueryFailure error={highlights.error} onRetry={() => void highlights.refetch()} />;
  }
  const { data: hits, meta } = highlights.data;
  if (hits.length === 0) return <NothingToCompare />;
  return (
    <>
      <Compared population={meta.population} notice={meta.notice} />
      <HitResults
        hits={hits}
        stale={highlights.isPlaceholderData}
        scoreName="Uniqueness"
        openedId={search.get('hit')}
        onOpen={(hit, how) => set({ hit }, how)}
        unfoldedId={search.get('similar')}
        onUnfold={(similar) => set({ similar }, { replace: true })}
        renderHit={(hit, playing) => <HitPlayer {...playing} hit={hit} />}
        renderCorner={renderCorner}
        renderActions={renderActions}
      />
    </>
  );
}

function MapView() {
  const [search, set] = useSearchState();
  const map = useQuery(readMapOptions(search));
  const points = useMemo(() => map.data?.data ?? [], [map.data]);
  const openedId = search.get('hit');
  const boxText = search.get('box');
  const box = useMemo(() => readBox(boxText), [boxText]);
  const inside = useMemo(() => (box ? points.filter((point) => isInBox(point, box)) : []), [points, box]);
  const selected = useMapClips(inside.slice(0, maxCards));
  // A clip that is opened on the map need not be among the selected ones.
  const [outside] = useMapClips(points.filter(({ chunk_id: id }) => id === openedId));
  const standouts = Number(readCount(search));
  const thumbnails = new Map(
    useMapClips(points.slice(0, standouts)).map(({ chunk_id: id, thumbnail }) => [id, thumbnail]),
  );
  const open = (hit: string | undefined, how?: { replace?: boolean }) => set({ hit }, how);

  if (map.isPending) return <MapSkeleton />;
  if (!map.data) return <QueryFailure error={map.error} onRetry={() => void map.refetch()} />;
  if (points.length === 0) return <NothingToCompare />;
  return (
    <>
      <Compared population={map.data.meta.population} />
      {readLayout(search) === 'umap' && map.data.meta.layout === 'pca' ? (
        <p role="status" className="mb-3 text-quiet">
          Clusters need 4 to 4,000 scenes. These are laid out by their largest differences instead.
        </p>
      ) : null}
      <Suspense fallback={<MapSkeleton />}>
        <HighlightsMap
          points={points}
          standouts={standouts}
          thumbnails={thumbnails}
          box={box}
          onBox={(next) => set({ box: next ? writeBox(next) : undefined })}
          onOpen={open}
        />
      </Suspense>
      {box ? (
        <SelectionHeading count={inside.length} onClear={() => set({ box: undefined })} />
      ) : (
        <p className="text-quiet">
          Similar scenes are close together, and the {standouts} most unique stand out. Hover to preview, click to play,
          and drag with Select (or with Shift) to select an area.
        </p>
      )}
      <HitResults
        hits={selected}
        outside={outside}
        stale={map.isPlaceholderData}
        scoreName="Uniqueness"
        openedId={openedId}
        onOpen={open}
        renderHit={(hit, playing) => <HitPlayer {...playing} hit={hit} />}
        renderCorner={renderCorner}
        renderActions={renderActions}
      />
    </>
  );
}

const SelectionHeading = ({ count, onClear }: { count: number; onClear: () => void }) => (
  <div className="mb-3 flex flex-wrap items-center gap-x-3">
    <h2 className="font-semibold">
      {formatCount(count)} {count === 1 ? 'scene' : 'scenes'} selected
    </h2>
    {count > maxCards ? <p className="text-quiet">Showing the {maxCards} most unique.</p> : null}
    <Button variant="quiet" size="small" onClick={onClear}>
      <X aria-hidden />
      Clear
    </Button>
  </div>
);

const MapSkeleton = () => (
  <div className="grid h-[min(64dvh,44rem)] animate-pulse place-items-center rounded-card bg-raised" aria-busy="true">
    <p className="text-quiet">Comparing all scenes. This can take half a minute in a large library.</p>
  </div>
);

const NothingToCompare = () => (
  <Notice icon={Sparkles} title="Nothing to compare" action={<LibraryLink />}>
    Highlights are the scenes that differ most from all others. No scenes match these filters yet.
  </Notice>
);
