import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Film, SearchX, Trash2 } from 'lucide-react';
import { Suspense, useEffect, useEffectEvent } from 'react';
import { Link } from 'react-router';
import { connection } from '../api/connection.ts';
import { lazyPart } from '../api/parts.ts';
import { mediaPageOptions, readAllMediaIds } from '../api/queries.ts';
import { LibraryFilters } from '../features/library/library-filters.tsx';
import { isFiltered, readDensity, readFilter, withoutFilters } from '../features/library/library-search.ts';
import { LoadSamples } from '../features/library/load-samples.tsx';
import { MediaCardSkeleton } from '../features/library/media-card.tsx';
import { MediaGrid } from '../features/library/media-grid.tsx';
import { useSelection } from '../features/library/use-selection.ts';
import { ShowRequest } from '../features/request/show-request.tsx';
import { UploadButton } from '../features/upload/drop-anywhere.tsx';
import { formatCount } from '../lib/format.ts';
import { rememberLibrary } from '../lib/library-place.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { cardGrid } from '../ui/card-grid.ts';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { useSearchState } from '../use-search-state.ts';

/** Loaded when something is selected: its dialogs are much of the page's script. */
const SelectionBar = lazyPart(async () => (await import('../features/library/selection-bar.tsx')).SelectionBar);

/** All media of the workspace. The URL holds filters, order and density. */
export function LibraryPage() {
  const [search, set] = useSearchState();
  const filter = readFilter(search);
  const first = useQuery({ ...mediaPageOptions(filter, 1), placeholderData: keepPreviousData });
  const { selected, select, replace, clear } = useSelection(filter);
  const selectAll = useMutation({ mutationFn: () => readAllMediaIds(filter), onSuccess: replace });
  const total = first.data?.meta.total ?? 0;
  const filtered = isFiltered(filter);

  useEscape(selected.size > 0, clear);
  useSelectAllKey(total > 0, () => selectAll.mutate());
  useEffect(() => rememberLibrary(search), [search]);

  return (
    <>
      <PageTitle>Library</PageTitle>
      <div className="mb-3 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="text-xl font-semibold">Library</h1>
        {first.isSuccess ? (
          <p className="text-quiet tabular-nums" aria-live="polite">
            {formatCount(total)} {total === 1 ? 'item' : 'items'}
          </p>
        ) : null}
        <span className="ml-auto flex items-center self-center">
          <TrashLink />
          <ShowRequest of={mediaPageOptions(filter, 1)} />
        </span>
      </div>
      {first.isSuccess && total === 0 && !filtered ? null : <LibraryFilters search={search} onChange={set} />}
      {first.isPending ? (
        <div className={cardGrid} aria-busy="true" aria-label="Loading">
          {Array.from({ length: 12 }, (_, i) => (
            <MediaCardSkeleton key={i} />
          ))}
        </div>
      ) : null}
      {first.isError && !first.data ? <QueryFailure error={first.error} onRetry={() => void first.refetch()} /> : null}
      {first.isSuccess && total === 0 ? <EmptyLibrary filtered={filtered} onClear={() => set(withoutFilters)} /> : null}
      {total > 0 ? (
        <MediaGrid filter={filter} total={total} density={readDensity(search)} selected={selected} onSelect={select} />
      ) : null}
      {selected.size > 0 ? (
        <Suspense>
          <SelectionBar
            ids={[...selected]}
            failed={filter.status === 'error'}
            total={total}
            onSelectAll={() => selectAll.mutate()}
            onClear={clear}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** On a phone, whose menu has no room for it. */
const TrashLink = () => (
  <Button asChild variant="quiet" size="icon" className="md:hidden">
    <Link to={paths.trash} aria-label="Trash" title="Trash">
      <Trash2 aria-hidden />
    </Link>
  </Button>
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

function EmptyLibrary({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <Notice
        icon={SearchX}
        title="Nothing matches these filters"
        action={<Button onClick={onClear}>Clear filters</Button>}
      >
        Remove a filter to see more of the library.
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
          {connection ? null : <LoadSamples />}
        </>
      }
    >
      Drop videos and photos anywhere on this page. Once they are processed, you can search for what they show and play
      the exact moment.
    </Notice>
  );
}
