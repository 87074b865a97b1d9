import { useQuery } from '@tanstack/react-query';
import { allFilters, itemFilters } from '../../../contract/fields.ts';
import { useGroups } from '../../api/item-groups.ts';
import { useLabelOptions } from '../../api/labels.ts';
import type { SavedView } from '../../api/saved-searches.ts';
import { sourcesOptions } from '../../api/sources.ts';
import { byField, describeLimit, isLimited } from '../../lib/filter-url.ts';
import { toUrlParameters } from '../../lib/saved-parameters.ts';
import { describeSearchIn, readSearchIn } from '../../lib/search-in.ts';

const pages: Record<SavedView['page'], string> = { search: 'Search', highlights: 'Highlights', library: 'Library' };

/** Returns what says in words where a view leads and what it is limited to. */
export function useDescribeView(): (view: SavedView) => string {
  const { creators, categories } = useLabelOptions();
  const groups = [...useGroups('collections'), ...useGroups('tags')];
  const { data: sources = [] } = useQuery(sourcesOptions);
  const names = new Map([
    ...[...creators, ...categories].map(({ value, text }) => [value, text] as const),
    ...[...groups, ...sources].map(({ id, name }) => [id, name] as const),
  ]);
  return ({ page, parameters }) => {
    const searchedIn = describeSearchIn(readSearchIn(parameters['in']));
    const url = new URLSearchParams(toUrlParameters(page, parameters));
    const limits = byField(page === 'library' ? allFilters : itemFilters)
      .filter((of) => isLimited(of, url))
      .map((of) => `${of.label}: ${describeLimit(of, url, (id) => names.get(id))}`);
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
