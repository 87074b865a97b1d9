import { allFilters, type Filter, itemFilters } from '../../../contract/fields.ts';
import { useGroups } from '../../api/item-groups.ts';
import { useLabelOptions } from '../../api/labels.ts';
import type { SavedView } from '../../api/saved-searches.ts';
import { describeRange } from '../../lib/filter-url.ts';
import { toUrlParameters } from '../../lib/saved-parameters.ts';
import { describeSearchIn, readSearchIn } from '../../lib/search-in.ts';

const pages: Record<SavedView['page'], string> = { search: 'Search', highlights: 'Highlights', library: 'Library' };
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A day of a URL, which may be none. */
const formatDay = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) ? day.format(Date.parse(text) || 0) : text);

/** Returns what says in words where a view leads and what it is limited to. */
export function useDescribeView(): (view: SavedView) => string {
  const { creators, categories } = useLabelOptions();
  const groups = [...useGroups('collections'), ...useGroups('tags')];
  const names = new Map([
    ...[...creators, ...categories].map(({ value, text }) => [value, text] as const),
    ...groups.map(({ id, name }) => [id, name] as const),
  ]);
  return ({ page, parameters }) => {
    const searchedIn = describeSearchIn(readSearchIn(parameters['in']));
    const url = new URLSearchParams(toUrlParameters(page, parameters));
    const filters = page === 'library' ? allFilters : itemFilters;
    const limits = [...Map.groupBy(filters, ({ field }) => field)].flatMap(([field, of]) =>
      of.some((filter) => url.has(filter.url)) ? describeFilters(field, of, url, names) : [],
    );
    const isByWords = page === 'search' && parameters['q'] !== undefined;
    return [
      pages[page],
      ...(isByWords ? [`“${parameters['q']}”`] : []),
      ...(searchedIn === '' ? [] : [`in ${searchedIn}`]),
      ...(page === 'search' && parameters['media_id'] !== undefined ? ['similar to an item'] : []),
      ...limits,
    ].join(' · ');
  };
}

/** What the filters of a field in a URL say, in words. @param names of labels by their identifiers */
function describeFilters(
  field: Filter['field'],
  filters: readonly Filter[],
  url: URLSearchParams,
  names: ReadonlyMap<string, string>,
): string[] {
  if (field.kind === 'number') return [describeRange(field, filters, url)];
  return filters.flatMap(({ name, url: parameter }) => {
    const value = url.get(parameter);
    if (value === null) return [];
    if (field.kind === 'choice')
      return [Object.entries(field.options).find(([option]) => option === value)?.[1] ?? value];
    if (field.kind === 'text') return [`${name} with “${value}”`];
    if (field.kind === 'time') return [`${parameter} ${formatDay(value)}`];
    return [names.get(value) ?? `a deleted ${name}`];
  });
}
