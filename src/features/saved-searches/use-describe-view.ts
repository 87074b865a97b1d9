import { useGroups } from '../../api/item-groups.ts';
import { useLabelOptions } from '../../api/labels.ts';
import type { SavedView } from '../../api/saved-searches.ts';
import { describeSearchIn, readSearchIn } from '../../lib/search-in.ts';

const pages: Record<SavedView['page'], string> = { search: 'Search', highlights: 'Highlights', library: 'Library' };
const types: Record<string, string> = { video: 'Videos', image: 'Images' };

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
    const { q, like, type, name, from, to } = parameters;
    const labels = ['creator', 'category', 'collection', 'tag'].flatMap((kind) => {
      const id = parameters[kind];
      return id === undefined ? [] : [names.get(id) ?? `a deleted ${kind}`];
    });
    return [
      pages[page],
      ...(q === undefined ? [] : [`“${q}”`]),
      ...(searchedIn === '' ? [] : [`in ${searchedIn}`]),
      ...(like === undefined ? [] : ['similar to an item']),
      ...(name === undefined ? [] : [`name with “${name}”`]),
      ...(type === undefined ? [] : [types[type] ?? type]),
      ...labels,
      ...(from === undefined ? [] : [`from ${formatDay(from)}`]),
      ...(to === undefined ? [] : [`to ${formatDay(to)}`]),
    ].join(' · ');
  };
}
