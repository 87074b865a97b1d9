/** An item of a list, and the second of it that the list shows. */
type TrailItem = { id: string; t?: number };

/**
 * The list from which an item was reached, kept in the state of the entry of the browser's history: a link to the item that is given away
 * does not have it. `from`: the address of the list. It names its items, or where there are too many, the filter and the item's place.
 */
export type ItemTrail = { from: string } & ({ items: TrailItem[] } | { filter: object; place: number });

/** The state of a link to an item of a list. */
export const trailState = (trail: ItemTrail): { trail: ItemTrail } => ({ trail });

/** The list that a state of the history holds; null where the item was not reached from a list. */
export function readTrail(state: unknown): ItemTrail | null {
  return typeof state === 'object' && state !== null && 'trail' in state ? (state.trail as ItemTrail) : null;
}

/** The list of the items of some hits, in their order, each with the moment of its first hit. */
export function trailOfHits(from: string, hits: readonly { id: string; type: string; start: number }[]): ItemTrail {
  const items = new Map<string, TrailItem>();
  for (const { id, type, start } of hits) {
    if (!items.has(id)) items.set(id, type !== 'image' ? { id, t: start } : { id });
  }
  return { from, items: [...items.values()] };
}
