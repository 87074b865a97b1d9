import { useQueries, useQuery } from '@tanstack/react-query';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { itemsOptions, type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { type ItemTrail, trailState } from '../../lib/item-trail.ts';
import type { ItemQuery } from '../../lib/search-in.ts';
import { paths } from '../../paths.ts';

/** An item of the same list: its address, and what is known of it, null as long as that is being read. */
export type Neighbour = { id: string; to: string; state: ReturnType<typeof trailState>; item: MediaItem | null };

export type ItemList = {
  previous: Neighbour | null;
  next: Neighbour | null;
  /** Place of the item, from 1; null where it is no longer in the list. */
  place: number | null;
  total: number;
  /** What stands around the item, and the item, in their order. */
  around: Neighbour[];
};

/** So many items before and behind are known at a time. */
const reach = 24;

/**
 * The list that led to an item.
 * @param query goes along, so that its hits are shown in each item
 * @returns null where there is no list, or none that is read yet
 */
export function useItemList(id: string, trail: ItemTrail | null, query: ItemQuery): ItemList | null {
  const inLibrary = useLibraryList(id, trail && 'filter' in trail ? trail : null);
  const inHits = useHitList(id, trail && 'items' in trail ? trail : null, query);
  return inLibrary ?? inHits;
}

/** The items of hits, whose identifiers are known from the first. */
function useHitList(
  id: string,
  trail: Extract<ItemTrail, { items: object }> | null,
  query: ItemQuery,
): ItemList | null {
  const items = trail?.items ?? [];
  const at = items.findIndex((item) => item.id === id);
  // By blocks, so that a step asks for nothing new.
  const block = Math.floor(Math.max(0, at) / maxPerPage) * maxPerPage;
  const ids = items.slice(block, block + maxPerPage).map((item) => item.id);
  const known = useQuery({ ...itemsOptions(ids), enabled: ids.length > 0 }).data ?? [];
  if (!trail || at === -1) return null;
  const from = Math.max(0, at - reach);
  const around = items.slice(from, at + reach + 1).map((item): Neighbour => ({
    id: item.id,
    to: paths.media(item.id, { ...item, ...query }),
    state: trailState(trail),
    item: known.find((other) => other.id === item.id) ?? null,
  }));
  return {
    previous: around[at - from - 1] ?? null,
    next: around[at - from + 1] ?? null,
    place: at + 1,
    total: items.length,
    around,
  };
}

/** A list that is read by pages. The item need not be at its place any more: others may have come or gone meanwhile, or it may be gone itself. */
function useLibraryList(id: string, trail: Extract<ItemTrail, { filter: object }> | null): ItemList | null {
  const place = trail?.place ?? 0;
  const pageOf = (position: number) => Math.floor(Math.max(0, position) / maxPerPage) + 1;
  const numbers = trail ? [...new Set([pageOf(place - reach), pageOf(place), pageOf(place + reach)])] : [];
  const filter = (trail?.filter ?? {}) as MediaFilter;
  const pages = useQueries({ queries: numbers.map((number) => mediaPageOptions(filter, number)) });
  if (!trail) return null;
  const items = pages.flatMap(({ data }, i) =>
    (data?.data ?? []).map((item, j) => ({ item, place: ((numbers[i] ?? 1) - 1) * maxPerPage + j })),
  );
  const toNeighbour = (entry: (typeof items)[number]): Neighbour => ({
    id: entry.item.id,
    to: paths.media(entry.item.id),
    state: trailState({ ...trail, place: entry.place }),
    item: entry.item,
  });
  const total = pages.find(({ data }) => data)?.data?.meta.total ?? items.length;
  const at = items.findIndex(({ item }) => item.id === id);
  if (at === -1) {
    // What came after it is at its place now.
    const [previous, next] = [place - 1, place].map((wanted) => items.find((entry) => entry.place === wanted));
    if (!previous && !next) return null;
    return {
      previous: previous ? toNeighbour(previous) : null,
      next: next ? toNeighbour(next) : null,
      place: null,
      total,
      around: [],
    };
  }
  const from = Math.max(0, at - reach);
  const around = items.slice(from, at + reach + 1).map(toNeighbour);
  return {
    previous: around[at - from - 1] ?? null,
    next: around[at - from + 1] ?? null,
    place: (items[at]?.place ?? 0) + 1,
    total,
    around,
  };
}
