import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { monthsOptions } from '../../api/queries.ts';
import { formatMonth } from '../../lib/taken.ts';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { MediaGrid, type MediaGridProps } from './media-grid.tsx';

/** All items of a filter by the month in which they were recorded, those without a date last, and a scrubber that leads to each month. */
export function MonthGrid(props: MediaGridProps) {
  const { filter } = props;
  const months = useQuery({ ...monthsOptions(filter), placeholderData: keepPreviousData });
  const earliestFirst = filter.sort === 'taken_at';
  const ordered = useMemo(() => {
    const dated = (months.data ?? []).filter(({ month }) => month !== null);
    const undated = (months.data ?? []).filter(({ month }) => month === null);
    return [...(earliestFirst ? dated.toReversed() : dated), ...undated];
  }, [months.data, earliestFirst]);
  const sections = useMemo(
    () => ordered.map(({ month, count }) => ({ heading: formatMonth(month), mark: month?.slice(0, 4), count })),
    [ordered],
  );
  if (months.isError && !months.data) {
    return <QueryFailure error={months.error} onRetry={() => void months.refetch()} />;
  }
  if (!months.data) return <div className="h-dvh" role="status" aria-busy="true" aria-label="Loading" />;
  return (
    <div className="md:pr-8">
      <MediaGrid {...props} sections={sections} />
    </div>
  );
}
