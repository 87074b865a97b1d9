import { useQueries } from '@tanstack/react-query';
import type { To } from 'react-router';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { type ItemTrail, trailState } from '../../lib/item-trail.ts';
import type { ItemQuery } from '../../lib/search-in.ts';
import { paths } from '../../paths.ts';

/** A link to an item of the same list. */
export type Neighbour = { to: To; state: ReturnType<typeof trailState> };

export type Neighbours = {
  previous: Neighbour | null;
  next: Neighbour | null;
  /** Place of the item, from 1, and the number of items. */
  place: number;
  total: number;
};

/**
 * The items before and after one in the list that led to it.
 * @param query goes along, so that its hits are shown in each item
 * @returns null where there is no list, or the item is no longer in it
 */
export function useNeighbours(id: string, trail: ItemTrail | null, query: ItemQuery): Neighbours | null {
  const inLibrary = useLibraryNeighbours(id, trail && 'filter' in trail ? trail : null);
  if (!trail) return null;
  if ('filter' in trail) return inLibrary;
  const at = trail.items.findIndex((item) => item.id === id);
  if (at === -1) return null;
  const linkTo = (item: { id: string; t?: number } | undefined): Neighbour | null =>
    item ? { to: paths.media(item.id, { ...item, ...query }), state: trailState(trail) } : null;
  return {
    previous: linkTo(trail.items[at - 1]),
    next: linkTo(trail.items[at + 1]),
    place: at + 1,
    total: trail.items.length,
  };
}

/** The same in a list that is read by pages. The item need not be at its place any more: others may have come or gone meanwhile. */
function useLibraryNeighbours(id: string, trail: Extract<ItemTrail, { filter: object }> | null): Neighbours | null {
  const place = trail?.place ?? 0;
  const pageOf = (position: number) => Math.floor(Math.max(0, position) / maxPerPage) + 1;
  const numbers = trail ? [...new Set([pageOf(place - 1), pageOf(place), pageOf(place + 1)])] : [];
  const filter = (trail?.filter ?? {}) as MediaFilter;
  const pages = useQueries({ queries: numbers.map((number) => mediaPageOptions(filter, number)) });
  if (!trail) return null;
  const items = pages.flatMap(({ data }, i) =>
    (data?.data ?? []).map((item, j) => ({ id: item.id, place: ((numbers[i] ?? 1) - 1) * maxPerPage + j })),
  );
  const at = items.findIndex((item) => item.id === id);
  const here = items[at];
  if (!here) return null;
  const linkTo = (item: { id: string; place: number } | undefined): Neighbour | null =>
    item ? { to: paths.media(item.id), state: trailState({ ...trail, place: item.place }) } : null;
  return {
    previous: linkTo(items[at - 1]),
    next: linkTo(items[at + 1]),
    place: here.place + 1,
    total: pages.find(({ data }) => data)?.data?.meta.total ?? items.length,
  };
}
