import { keepPreviousData, useQuery, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { Suspense, useCallback, useMemo } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { type MediaFilter, mediaIdsOptions, mediaPageOptions, monthsOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { countItems } from '../../lib/format.ts';
import type { SelectedView } from '../../lib/selected-items.ts';
import { formatMonths } from '../../lib/taken.ts';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { createJustifiedLayout, type GridLayout, joinMonths } from './grid-layout.ts';
import { MediaCard, MediaCardSkeleton } from './media-card.tsx';
import { useRatios, useResizing } from './media-grid.tsx';
import { type MediaGridProps, MediaRows } from './media-rows.tsx';
import { rowHeight } from './row-height.ts';
import type { GridWidth } from './use-grid-rows.ts';

/** Loaded with the first months. */
const SectionScrubber = lazyPart(async () => (await import('./section-scrubber.tsx')).SectionScrubber);

/**
 * All items of a filter by the month in which they were recorded, those without a date last, and a scrubber that leads to each month. Months
 * that follow each other and fill less than a row stand in one.
 */
export function MonthGrid(props: MediaGridProps) {
  const { filter, total } = props;
  const months = useQuery({ ...monthsOptions(filter), placeholderData: keepPreviousData });
  const ratios = useRatios(filter, total);
  const [size, onResize] = useResizing();
  const earliestFirst = filter.sort === 'taken_at';
  const ordered = useMemo(() => {
    const dated = (months.data ?? []).filter(({ month }) => month !== null);
    const undated = (months.data ?? []).filter(({ month }) => month === null);
    return [...(earliestFirst ? dated.toReversed() : dated), ...undated];
  }, [months.data, earliestFirst]);
  const createLayout = useCallback(
    (width: GridWidth) => {
      const measures = { ...width, target: rowHeight(size, width) };
      return createJustifiedLayout(joinMonths(ordered, ratios, measures, formatMonths), ratios, measures);
    },
    [ordered, ratios, size],
  );
  if (months.isError && !months.data) {
    return <QueryFailure error={months.error} onRetry={() => void months.refetch()} />;
  }
  if (!months.data) return <div className="h-dvh" role="status" aria-busy="true" aria-label="Loading" />;
  return (
    <div className="md:pr-8">
      <MediaRows
        {...props}
        createLayout={createLayout}
        Item={MediaCard}
        Heading={MonthHeading}
        Skeleton={MediaCardSkeleton}
        onResize={onResize}
        renderAside={(view, onMove) => (
          <Suspense>
            <SectionScrubber view={view} filter={filter} onMove={onMove} />
          </Suspense>
        )}
      />
    </div>
  );
}

/** The name of a month with a box that selects all of it. */
function MonthHeading({ section, layout, list }: { section: number; layout: GridLayout; list: MediaGridProps }) {
  const { heading = '', count = 0 } = layout.sections[section] ?? {};
  const first = layout.firstOf(section);
  const last = first + count - 1;
  const selected = useIsSelected(list.filter, first, last, list.selected);
  return (
    <div className="group flex h-full items-end gap-2 pb-1.5 max-md:px-4">
      <h2 className="text-title font-semibold">{heading}</h2>
      <span className="text-label text-quiet tabular-nums">{countItems(count)}</span>
      <button
        type="button"
        role="checkbox"
        aria-checked={selected}
        aria-label={`Select all of ${heading}`}
        title={`Select all of ${heading}`}
        onClick={() => list.onSelectRange(first, last, !selected)}
        className={clsx(
          'relative grid size-5 place-items-center self-end rounded-full border transition-opacity duration-quick before:absolute before:-inset-2 pointer-coarse:before:-inset-3',
          selected
            ? 'border-accent bg-accent text-accent-ink'
            : 'border-quiet text-transparent hover:border-ink hover:text-quiet',
          !selected &&
            list.selected.size === 0 &&
            'opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100',
        )}
      >
        <Check className="size-3.5" aria-hidden />
      </button>
    </div>
  );
}

/** Whether all items from one position to another are selected, as far as that is known: what was selected as a range was read. */
function useIsSelected(filter: MediaFilter, first: number, last: number, selected: SelectedView): boolean {
  const client = useQueryClient();
  const limit = last - first + 1;
  if (selected.isAll) return true;
  if (selected.size < limit) return false;
  const ids = client.getQueryData(mediaIdsOptions(filter, { offset: first, limit }).queryKey)?.data;
  return (ids ?? readLoaded(client, filter, first, last))?.every((id) => selected.has(id)) ?? false;
}

/** Identifiers from one position to another, where their pages are loaded. */
function readLoaded(client: QueryClient, filter: MediaFilter, first: number, last: number): string[] | undefined {
  const ids: string[] = [];
  for (let page = Math.floor(first / maxPerPage); page <= Math.floor(last / maxPerPage); page++) {
    const items = client.getQueryData(mediaPageOptions(filter, page + 1).queryKey)?.data;
    if (!items) return undefined;
    const start = page * maxPerPage;
    ids.push(...items.slice(Math.max(0, first - start), last - start + 1).map(({ id }) => id));
  }
  return ids;
}
