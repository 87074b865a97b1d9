import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Ellipsis, Film, FolderOpen, FolderX, SearchX } from 'lucide-react';
import { type DragEvent, type ReactNode, Suspense, useEffect, useEffectEvent } from 'react';
import { useLocation, useParams } from 'react-router';
import { ApiError } from '../../clients/typescript/api-error.ts';
import { connection } from '../api/connection.ts';
import type { Collection } from '../api/generated/api/index.ts';
import { collectionOptions } from '../api/item-groups.ts';
import { lazyPart } from '../api/parts.ts';
import { type MediaFilter, mediaPageOptions, type MediaSort } from '../api/queries.ts';
import { FilterBar } from '../features/filters/filter-bar.tsx';
import { MenuButton } from '../features/filters/menu-button.tsx';
import { SortMenu, sortEntry } from '../features/filters/sort-menu.tsx';
import { useBestOf } from '../features/groups/use-best-of.tsx';
import { GridSkeleton } from '../features/library/grid-skeleton.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import {
  isFiltered,
  libraryViews,
  type LibraryView,
  readFilter,
  readListFilter,
  readView,
  sortChange,
  usualSort,
  withoutAllFilters,
} from '../features/library/library-search.ts';
import { MediaGrid } from '../features/library/media-grid.tsx';
import { useSelection } from '../features/library/use-selection.ts';
import { ViewButtons, viewLooks } from '../features/library/view-buttons.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { useSaveSearch } from '../features/saved-searches/use-save-search.tsx';
import { UploadButton } from '../features/upload/drop-anywhere.tsx';
import { dragItems } from '../lib/dragged-items.ts';
import { countItems } from '../lib/format.ts';
import { rememberLibrary } from '../lib/library-place.ts';
import { countSelected, itemsByName, type SelectedItems, viewOf } from '../lib/selected-items.ts';
import { Button } from '../ui/button.tsx';
import { focusContent } from '../ui/focus-content.ts';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { useSearchState } from '../use-search-state.ts';

/** Loaded when something is selected: its dialogs are much of the page's script. */
const SelectionBar = lazyPart(async () => (await import('../features/library/selection-bar.tsx')).SelectionBar);

/** Loaded with a library that is empty. */
const LoadSamples = lazyPart(async () => (await import('../features/library/load-samples.tsx')).LoadSamples);

const ShareButton = lazyPart(async () => (await import('../features/share/share-button.tsx')).ShareButton);

const GroupActions = lazyPart(async () => (await import('../features/groups/group-actions.tsx')).GroupActions);

const DownloadItems = lazyPart(async () => (await import('../features/export/download-items.tsx')).DownloadItems);

/** Loaded with a collection. */
const CollectionHeading = lazyPart(
  async () => (await import('../features/groups/collection-heading.tsx')).CollectionHeading,
);
const CollectionSelection = lazyPart(
  async () => (await import('../features/groups/collection-selection.tsx')).CollectionSelection,
);
const CollectionOrder = lazyPart(async () => (await import('../features/groups/collection-order.tsx')).CollectionOrder);

/** Loaded with the items of a source. */
const LibraryCrumbs = lazyPart(async () => (await import('../features/sources/library-crumbs.tsx')).LibraryCrumbs);

/** How the items are shown. Loaded when they are shown so, except for pictures. */
const grids = {
  grid: MediaGrid,
  months: lazyPart(async () => (await import('../features/library/month-grid.tsx')).MonthGrid),
  list: lazyPart(async () => (await import('../features/library/media-list.tsx')).MediaList),
};

/** All media of the workspace, or of one collection. The URL holds filters, order and view. */
export function LibraryPage() {
  const { collection = null } = useParams();
  const about = useQuery({ ...collectionOptions(collection ?? ''), enabled: collection !== null });
  if (collection === null) return <Library within={null} />;
  if (about.error instanceof ApiError && [400, 404].includes(about.error.status)) {
    return (
      <Notice page icon={FolderX} title="There is no such collection" action={<LibraryLink />}>
        It may have been deleted.
      </Notice>
    );
  }
  // Each has a selection of its own.
  return <Library key={collection} within={{ id: collection, about: about.data ?? null }} />;
}

/** The collection that is shown, and what is known of it: null before it is read. */
type Within = { id: string; about: Collection | null };

function Library({ within }: { within: Within | null }) {
  const [search, set] = useSearchState();
  const usual = usualSort(within !== null);
  const filter = readListFilter(search, within?.id);
  const first = useQuery({ ...mediaPageOptions(filter, 1), placeholderData: keepPreviousData });
  const total = first.data?.meta.total ?? 0;
  const selection = useLibrarySelection(filter, total);
  const filtered = isFiltered(readFilter(search));
  const ordered = within !== null && filter.sort === 'position' && !filtered;
  const shown = { filter, total, within, selection, ordered };
  useRememberedPlace();

  return (
    <>
      <PageTitle>{within ? (within.about?.name ?? '') : 'Library'}</PageTitle>
      <Heading within={within} total={first.isSuccess ? total : null}>
        <ShowRequest of={mediaPageOptions(filter, 1)} />
        {within && total > 0 ? (
          <Suspense>
            <ShareButton look="text" of={{ collection_id: within.id }} />
          </Suspense>
        ) : null}
        {total > 0 ? <More filter={filter} search={search} within={within} filtered={filtered} /> : null}
      </Heading>
      {(filter.source_id ?? filter.folder) ? (
        <Suspense fallback={<div className="mb-3 h-5" />}>
          <LibraryCrumbs />
        </Suspense>
      ) : null}
      {first.isSuccess && total === 0 && !filtered ? null : (
        <LibraryBar within={within !== null} sort={filter.sort ?? usual} />
      )}
      {first.isPending ? <GridSkeleton /> : null}
      {first.isError && !first.data ? <QueryFailure error={first.error} onRetry={() => void first.refetch()} /> : null}
      {first.isSuccess && total === 0 ? (
        <EmptyLibrary filtered={filtered} collection={within !== null} onClear={() => set(withoutAllFilters)} />
      ) : null}
      {total > 0 ? <Items {...shown} view={readView(search)} /> : null}
      {selection.selected.size > 0 ? <Selected {...shown} /> : null}
    </>
  );
}

/**
 * Filters, order, and how the items are shown. A phone has the last two in one menu.
 * @param within whether one collection is shown
 */
function LibraryBar({ within, sort: value }: { within: boolean; sort: MediaSort }) {
  const [search, set] = useSearchState();
  const view = readView(search);
  const onChange = (next: MediaSort) => set(sortChange(next, view, usualSort(within)));
  const sort = { value, within, onChange };
  const changeView = (next: string) => set({ view: next === 'grid' ? undefined : next });
  const options = libraryViews.map((one) => ({ value: one, text: viewLooks[one].text }));
  return (
    <FilterBar listed search={search} except={within ? 'collection_id' : undefined} onChange={set}>
      <span className="flex items-center gap-1 max-sm:hidden">
        <SortMenu {...sort} />
        <ViewButtons value={view} onChange={changeView} />
      </span>
      <span className="sm:hidden">
        <MenuButton
          label="View and order"
          icon={viewLooks[view].icon}
          entries={[{ kind: 'choice', label: 'View', value: view, options, onChange: changeView }, sortEntry(sort)]}
        />
      </span>
    </FilterBar>
  );
}

type Shown = {
  filter: MediaFilter;
  total: number;
  within: Within | null;
  selection: ReturnType<typeof useLibrarySelection>;
  /** Whether a collection is shown whole and in its order: then that can be changed. */
  ordered: boolean;
};

/** The items; those of a collection can be moved. */
function Items({ filter, total, within, selection, ordered, view }: Shown & { view: LibraryView }) {
  const Grid = grids[view];
  const grid = (
    <Grid
      filter={filter}
      total={total}
      selected={selection.selected}
      onSelect={selection.select}
      onSelectRange={selection.selectRange}
      onDrag={(event, id) => dragSelected(event, id, selection.items)}
    />
  );
  return (
    <Suspense fallback={<GridSkeleton />}>
      {within && ordered ? (
        <CollectionOrder collection={within.id} filter={filter} total={total}>
          {grid}
        </CollectionOrder>
      ) : (
        grid
      )}
    </Suspense>
  );
}

/** What can be done with the selected items. */
function Selected({ filter, total, within, selection: { items, leave, selectAll }, ordered }: Shown) {
  const more = (close: () => void) => (
    <Suspense>
      <DownloadItems items={items} onDone={close} />
      {within ? (
        <CollectionSelection
          items={items}
          collection={{ id: within.id, name: within.about?.name ?? '' }}
          ordered={ordered ? filter : null}
          onDone={close}
          onRemoved={leave}
        />
      ) : null}
    </Suspense>
  );
  return (
    <Suspense>
      <SelectionBar
        items={items}
        failed={filter.status === 'error'}
        total={total}
        onSelectAll={selectAll}
        onClear={leave}
        more={more}
      >
        <GroupActions items={items} />
        {'ids' in items ? <ShareButton look="bar" of={{ ids: [...items.ids] }} /> : null}
      </SelectionBar>
    </Suspense>
  );
}

/** What is done seldom with what is shown. */
function More({
  filter,
  search,
  within,
  filtered,
}: {
  filter: MediaFilter;
  search: URLSearchParams;
  within: Within | null;
  filtered: boolean;
}) {
  const save = useSaveSearch(search.get('name') ?? 'Library');
  const best = useBestOf(filter, within?.about?.name ?? 'the library');
  return (
    <>
      <MenuButton label="More" icon={Ellipsis} entries={[...(filtered && !within ? save.entries : []), best.entry]} />
      {save.dialog}
      {best.dialog}
    </>
  );
}

/** The selected items of those that a filter leaves, and the keys that select all and none. */
function useLibrarySelection(filter: MediaFilter, total: number) {
  const { clear, ...selection } = useSelection(filter, total);
  useEscape(selection.selected.size > 0, clear);
  useSelectAllKey(total > 0, selection.selectAll);
  const leave = () => {
    clear();
    focusContent();
  };
  return { ...selection, leave };
}

/** Keeps the address for the way back from an item. */
function useRememberedPlace(): void {
  const location = useLocation();
  useEffect(() => rememberLibrary(location), [location]);
}

/** Drags an item: with all others that are selected if it is. */
function dragSelected(event: DragEvent, id: string, items: SelectedItems): void {
  const dragged = viewOf(items).has(id) ? items : itemsByName([id]);
  dragItems(event, dragged, countItems(countSelected(dragged)));
}

/**
 * What is shown, and how many items.
 * @param total null until it is known
 */
const Heading = ({ within, total, children }: { within: Within | null; total: number | null; children: ReactNode }) =>
  within ? (
    <Suspense fallback={<div className="mb-3 h-25 sm:h-20 pointer-coarse:h-33 pointer-coarse:sm:h-27" />}>
      <CollectionHeading collection={within.about} total={total}>
        {children}
      </CollectionHeading>
    </Suspense>
  ) : (
    <div className="mb-3 flex flex-wrap items-baseline gap-x-4 gap-y-1">
      <h1 className="text-xl font-semibold">Library</h1>
      {total === null ? null : (
        <p className="text-quiet tabular-nums" aria-live="polite">
          {countItems(total)}
        </p>
      )}
      <span className="ml-auto flex flex-wrap gap-2 self-center">{children}</span>
    </div>
  );

/** Calls back when Escape is pressed and nothing else has used it, such as an open dialog. */
function useEscape(active: boolean, onEscape: () => void): void {
  const escape = useEffectEvent(onEscape);
  useEffect(() => {
    if (!active) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) escape();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [active]);
}

/**
 * Calls back when Ctrl-A (or Cmd-A) is pressed, which would select the text of the page, unless in a field or a dialog.
 */
function useSelectAllKey(active: boolean, onSelectAll: () => void): void {
  const selectAll = useEffectEvent(onSelectAll);
  useEffect(() => {
    if (!active) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'a' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      const { target } = event;
      const elsewhere =
        target instanceof Element && target.closest('input, textarea, select, [role^=dialog], [role=alertdialog]');
      if (elsewhere) return;
      event.preventDefault();
      selectAll();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [active]);
}

function EmptyLibrary({
  filtered,
  collection,
  onClear,
}: {
  filtered: boolean;
  collection: boolean;
  onClear: () => void;
}) {
  if (filtered) {
    return (
      <Notice
        icon={SearchX}
        title="Nothing matches these filters"
        action={<Button onClick={onClear}>Clear filters</Button>}
      >
        Remove a filter to see more.
      </Notice>
    );
  }
  if (collection) {
    return (
      <Notice icon={FolderOpen} title="This collection is empty" action={<LibraryLink />}>
        Select items in the library and add them with the button Collections
        <span className="pointer-coarse:hidden">, or drag them onto its name in the menu</span>.
      </Notice>
    );
  }
  return (
    <Notice
      icon={Film}
      title="Your library is empty"
      action={
        <>
          <UploadButton named />
          {connection ? null : (
            <Suspense>
              <LoadSamples />
            </Suspense>
          )}
        </>
      }
    >
      <span className="pointer-coarse:hidden">Drop videos, photos and audio anywhere on this page.</span>{' '}
      <span className="hidden pointer-coarse:inline">Upload videos, photos and audio.</span> Once they are processed,
      you can search for what they show and play the exact moment.
    </Notice>
  );
}
