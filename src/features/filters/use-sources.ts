import { useQuery } from '@tanstack/react-query';
import { allFilters, type FilterName } from '../../../contract/fields.ts';
import { useLabels } from '../../api/labels.ts';
import { facetsOptions, monthsOptions } from '../../api/queries.ts';
import { sourcesOptions } from '../../api/sources.ts';
import { today } from '../../lib/date-range.ts';
import { readFilters } from '../../lib/filter-url.ts';
import { countItemsOf } from '../../lib/source-counts.ts';
import type { Sources } from './offers.ts';

/**
 * What the values of filters are taken from; what is still being read is missing.
 * @param search the URL, under whose filters values are counted
 */
export function useSources(search: URLSearchParams): Sources & { loading: boolean } {
  const labels = {
    creator: useLabels('creator'),
    category: useLabels('category'),
    collection: useLabels('collection'),
    tag: useLabels('tag'),
  };
  const folders = useQuery(sourcesOptions);
  const months = useQuery(monthsOptions({})).data ?? [];
  const facets = useQuery(facetsOptions(readFilters<FilterName>(search, allFilters)));
  const years = new Set(months.flatMap(({ month }) => (month === null ? [] : [month.slice(0, 4)])));
  return {
    labels: {
      ...Object.fromEntries(Object.entries(labels).flatMap(([kind, { data }]) => (data ? [[kind, data]] : []))),
      ...(folders.data
        ? { source: folders.data.map((source) => ({ ...source, media_count: countItemsOf(source) })) }
        : {}),
    },
    facets: facets.data,
    years: [...years],
    today: today(),
    loading: facets.isPending || folders.isPending || Object.values(labels).some(({ isPending }) => isPending),
  };
}
