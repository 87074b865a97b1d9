import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Film, FolderOpen, FolderX, SearchX } from 'lucide-react';
import { type DragEvent, type ReactNode, Suspense, useEffect, useEffectEvent } from 'react';
import { useLocation, useParams } from 'react-router';
import { ApiError } from '../../clients/typescript/api-error.ts';
import { connection } from '../api/connection.ts';
import { collectionOptions, type Group } from '../api/item-groups.ts';
import { lazyPart } from '../api/parts.ts';
import { type MediaFilter, mediaPageOptions, readAllMediaIds } from '../api/queries.ts';
import { LibraryFilters } from '../features/library/library-filters.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import {
  isFiltered,
  readDensity,
  readFilter,
  readGrouping,
  withoutFilters,
} from '../features/library/library-search.ts';
import { MediaCardSkeleton } from '../features/library/media-card.tsx';
import { MediaGrid } from '../features/library/media-grid.tsx';
import { useSelection } from '../features/library/use-selection.ts';
import { ShowRequest } from '../features/request/show-request.tsx';
import { SaveSearch } from '../features/saved-searches/save-search.tsx';
import { UploadButton } from '../features/upload/drop-anywhere.tsx';
import { dragItems } from '../lib/dragged-items.ts';
import { countItems } from '../lib/format.ts';
import { rememberLibrary } from '../lib/library-place.ts';
import { Button } from '../ui/button.tsx';
import { cardGrid } from '../ui/card-grid.ts';
import { focusContent } from '../ui/focus-content.ts';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { useSearchState } from '../use-search-state.ts';

/** Loaded when something is selected: its dialogs are much of the page's script. */
const SelectionBar = lazyPart(async () => (await import('../features/library/selection-bar.tsx')).SelectionBar);

/** Loaded with a library that is empty. */
const LoadSamples = lazyPart(async () => (await import('../features/library/load-samples.tsx')).LoadSamples);

const GroupActions = lazyPart(async () => (await import('../features/groups/group-actions.tsx')).GroupActions);

const DownloadItemsButton = lazyPart(
  async () => (await import('../features/export/download-items-button.tsx')).DownloadItemsButton,
);
const CollectionActions = lazyPart(
  async () => (await import('../features/groups/collection-actions.tsx')).CollectionActions,
);

/** Loaded when the library is grouped. */
const ShareButton = lazyPart(async () => (await import('../features/share/share-button.tsx')).ShareButton);

const MonthGrid = lazyPart(async () => (await import('../features/library/month-grid.tsx')).MonthGrid);

/** All media of the workspace, or of one collection. The URL holds filters, order and density. */
export function LibraryPage() {
  const { collection = null } = useParams();
  const about = useQuery({ ...collectionOptions(collection ?? ''), enabled: collection !== null });
  if (collection === null) return <Library collection={null} />;
  if (about.error instanceof ApiError && [400, 404].includes(about.error.status)) {
    return (
      <Notice page icon={FolderX} title="There is no such collection" action={<LibraryLink />}>
        It may have been deleted.
      </Notice>
    );
  }
  // Each has a selection of its own.
  return <Library key={collection} collection={about.data ?? { id: collection, name: '', media_count: 0 }} />;
}

function Library({ collection }: { collection: Group | null }) {
  const [search, set] = useSearchState();
  const filter = { ...readFilter(search), ...(collection ? { collection_id: collection.id } : {}) };
  const Grid = readGrouping(search) ? MonthGrid : MediaGrid;
  const first = useQuery({ ...mediaPageOptions(filter, 1), placeholderData: keepPreviousData });
  const total = first.data?.meta.total ?? 0;
  const { selected, select, selectAll, leave } = useLibrarySelection(filter, total);
  const filtered = isFiltered(readFilter(search));
  useRememberedPlace();

  return (
    <>
      <PageTitle>{collection ? collection.name : 'Library'}</PageTitle>
      <LibraryHeading collection={collection} total={first.isSuccess ? total : null}>
        {filtered && !collection ? <SaveSearch proposed={search.get('name') ?? 'Library'} /> : null}
        <ShowRequest of={mediaPageOptions(filter, 1)} />
      </LibraryHeading>
      {first.isSuccess && total === 0 && !filtered ? null : (
        <LibraryFilters search={search} within={collection !== null} onChange={set} />
      )}
      {first.isPending ? <LoadingGrid /> : null}
      {first.isError && !first.data ? <QueryFailure error={first.error} onRetry={() => void first.refetch()} /> : null}
      {first.isSuccess && total === 0 ? (
        <EmptyLibrary filtered={filtered} collection={collection !== null} onClear={() => set(withoutFilters)} />
      ) : null}
      {total > 0 ? (
        <Suspense>
          <Grid
            filter={filter}
            total={total}
            density={readDensity(search)}
            selected={selected}
            onSelect={select}
            onDrag={(event, id) => dragSelected(event, id, selected)}
          />
        </Suspense>
      ) : null}
      {selected.size > 0 ? (
        <Suspense>
          <SelectionBar
            ids={[...selected]}
            failed={filter.status === 'error'}
            total={total}
            onSelectAll={selectAll}
            onClear={leave}
          >
            <GroupActions ids={[...selected]} within={collection} onRemoved={leave} />
            <DownloadItemsButton ids={[...selected]} />
            <ShareButton look="bar" of={{ ids: [...selected] }} />
          </SelectionBar>
        </Suspense>
      ) : null}
    </>
  );
}

/** The selected items of those that a filter leaves, and the keys that select all and none. */
function useLibrarySelection(filter: MediaFilter, total: number) {
  const { selected, select, replace, clear } = useSelection(filter);
  const all = useMutation({ mutationFn: () => readAllMediaIds(filter), onSuccess: replace });
  const selectAll = () => all.mutate();
  useEscape(selected.size > 0, clear);
  useSelectAllKey(total > 0, selectAll);
  const leave = () => {
    clear();
    focusContent();
  };
  return { selected, select, selectAll, leave };
}

/** Keeps the address for the way back from an item. */
function useRememberedPlace(): void {
  const location = useLocation();
  useEffect(() => rememberLibrary(location), [location]);
}

/** Drags an item: with all others that are selected if it is. */
function dragSelected(event: DragEvent, id: string, selected: ReadonlySet<string>): void {
  const ids = selected.has(id) ? [...selected] : [id];
  dragItems(event, ids, countItems(ids.length));
}

/**
 * What is shown, and how many items.
 * @param total null until it is known
 */
const LibraryHeading = ({
  collection,
  total,
  children,
}: {
  collection: Group | null;
  total: number | null;
  children: ReactNode;
}) => (
  <div className="mb-3 flex flex-wrap items-baseline gap-x-4 gap-y-1">
    <h1 className="min-h-7 min-w-0 text-xl font-semibold wrap-anywhere">{collection ? collection.name : 'Library'}</h1>
    {total === null ? null : (
      <p className="text-quiet tabular-nums" aria-live="polite">
        {countItems(total)}
      </p>
    )}
    <span className="ml-auto flex flex-wrap gap-2 self-center">
      {collection ? (
        <Suspense>
          <ShareButton look="bar" of={{ collection_id: collection.id }} />
          <CollectionActions collection={collection} />
        </Suspense>
      ) : null}
      {children}
    </span>
  </div>
);

const LoadingGrid = () => (
  <div className={cardGrid} role="status" aria-busy="true" aria-label="Loading">
    {Array.from({ length: 12 }, (_, i) => (
      <MediaCardSkeleton key={i} />
    ))}
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
        Select items in the library and add them with the button Collections, or drag them onto its name in the menu.
      </Notice>
    );
  }
  return (
    <Notice
      icon={Film}
      title="Your library is empty"
      action={
        <>
          <UploadButton />
          {connection ? null : (
            <Suspense>
              <LoadSamples />
            </Suspense>
          )}
        </>
      }
    >
      Drop videos and photos anywhere on this page. Once they are processed, you can search for what they show and play
      the exact moment.
    </Notice>
  );
}
