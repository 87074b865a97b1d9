/** Which items are selected, and the position in the list from which a range is selected. */
export type Selection = { ids: ReadonlySet<string>; anchor: number | null };

export const emptySelection: Selection = { ids: new Set(), anchor: null };

/** Selects an item, or deselects it when it is selected. */
export function toggleItem({ ids }: Selection, position: number, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: position };
}

/** Adds items to those that are selected. */
export const addItems = ({ ids, anchor }: Selection, added: readonly string[]): Selection => ({
  ids: new Set([...ids, ...added]),
  anchor,
});

/** Takes items away from those that are selected. */
export function removeItems({ ids, anchor }: Selection, removed: readonly string[]): Selection {
  const left = new Set(ids);
  for (const id of removed) left.delete(id);
  return { ids: left, anchor };
}

/**
 * Reads the identifiers between two positions of a paginated list, in either order and both included. The result is shorter when items
 * have gone since.
 * @param readPage reads a page, from 1
 */
export async function readRange(
  [from, to]: [number, number],
  perPage: number,
  readPage: (page: number) => Promise<readonly { id: string }[]>,
): Promise<string[]> {
  const [first, last] = [Math.min(from, to), Math.max(from, to)];
  const pageOf = (position: number) => Math.floor(position / perPage) + 1;
  const ids: string[] = [];
  for (let page = pageOf(first); page <= pageOf(last); page++) {
    const start = (page - 1) * perPage;
    const items = await readPage(page);
    ids.push(...items.slice(Math.max(0, first - start), last - start + 1).map(({ id }) => id));
  }
  return ids;
}
