/** The filter of a list, by the names of its parameters. `sort`, its order, is none. */
type ListFilter = Readonly<Record<string, string | number | undefined>>;

/** Items that are selected: by name, or all that a filter leaves but some. */
export type SelectedItems =
  | { ids: ReadonlySet<string> }
  /** `total`: how many the filter leaves, those that are taken out included. */
  | { filter: ListFilter; except: ReadonlySet<string>; total: number };

/** What a list asks of a selection. `isAll`: nothing of the list is left out. */
export type SelectedView = Pick<ReadonlySet<string>, 'has' | 'size'> & { isAll: boolean };

/** Items by their names. */
export const itemsByName = (ids: Iterable<string>): SelectedItems => ({ ids: new Set(ids) });

/** How many are selected. */
export const countSelected = (items: SelectedItems): number =>
  'ids' in items ? items.ids.size : Math.max(0, items.total - items.except.size);

/** A selection as a list sees it. */
export function viewOf(items: SelectedItems): SelectedView {
  const has = 'ids' in items ? (id: string) => items.ids.has(id) : (id: string) => !items.except.has(id);
  return { has, size: countSelected(items), isAll: !('ids' in items) && items.except.size === 0 };
}

/** The filters of a list as the body of a request has them, without its order. */
export const bodyFilter = (filter: ListFilter): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(filter).filter(
      (entry): entry is [string, string | number] => entry[0] !== 'sort' && entry[1] !== undefined && entry[1] !== '',
    ),
  );

/** The items of a change, as its request has them. */
export const toItemsBody = (items: SelectedItems) =>
  'ids' in items
    ? { ids: [...items.ids] }
    : { filter: bodyFilter(items.filter), ...(items.except.size > 0 ? { except_ids: [...items.except] } : {}) };
