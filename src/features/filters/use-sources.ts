import { useQuery } from '@tanstack/react-query';
import { useLabels } from '../../api/labels.ts';
import { monthsOptions } from '../../api/queries.ts';
import { today } from '../../lib/date-range.ts';
import type { Sources } from './offers.ts';

/** What the values of filters are taken from; what is still being read is missing. */
export function useSources(): Sources & { loading: boolean } {
  const labels = {
    creator: useLabels('creator'),
    category: useLabels('category'),
    collection: useLabels('collection'),
    tag: useLabels('tag'),
  };
  const months = useQuery(monthsOptions({})).data ?? [];
  const years = new Set(months.flatMap(({ month }) => (month === null ? [] : [month.slice(0, 4)])));
  return {
    labels: Object.fromEntries(Object.entries(labels).flatMap(([kind, { data }]) => (data ? [[kind, data]] : []))),
    years: [...years],
    today: today(),
    loading: Object.values(labels).some(({ isPending }) => isPending),
  };
}
