import type { MediaFilter } from '../../api/queries.ts';
import { bodyFilter, countSelected, type SelectedItems } from '../../lib/selected-items.ts';

/** Which items are selected, and the position in the list from which a range is selected. */
export type Selection = { items: SelectedItems; anchor: number | null };

export const emptySelection: Selection = { items: { ids: new Set() }, anchor: null };

/** All items of a filter. */
export const allItems = (filter: MediaFilter, total: number): Selection => ({
  items: { filter, except: new Set(), total },
  anchor: null,
});

/** Selects some items, or takes them out. The last one that is taken out leaves nothing. */
export function change({ items, anchor }: Selection, ids: readonly string[], on: boolean): Selection {
  const named = 'ids' in items;
  const next = new Set(named ? items.ids : items.except);
  for (const id of ids) {
    if (on === named) next.add(id);
    else next.delete(id);
  }
  if (named) return { items: { ids: next }, anchor };
  const left: SelectedItems = { ...items, except: next };
  return countSelected(left) === 0 ? emptySelection : { items: left, anchor };
}

/** Selects an item, or deselects it when it is selected. */
export function toggleItem(selection: Selection, position: number, id: string): Selection {
  const { items } = selection;
  const isSelected = 'ids' in items ? items.ids.has(id) : !items.except.has(id);
  return { ...change(selection, [id], !isSelected), anchor: position };
}

/** A selection as it counts for a list: all of another filter is nothing of this one, and the list may have grown. */
export function inList(selection: Selection, filter: MediaFilter, total: number): Selection {
  const { items } = selection;
  if ('ids' in items) return selection;
  if (JSON.stringify(bodyFilter(items.filter)) !== JSON.stringify(bodyFilter(filter))) return emptySelection;
  return total === items.total || total === 0 ? selection : { ...selection, items: { ...items, total } };
}

/** The first position between two, and how many there are, both included. */
export const spanOf = (one: number, other: number): { offset: number; limit: number } => ({
  offset: Math.min(one, other),
  limit: Math.abs(one - other) + 1,
});
