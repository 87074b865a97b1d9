type Counted = { items: { pending: number; indexing: number; complete: number; error: number } };

/** Items of a source that are not indexed yet. */
export const countWaiting = ({ items }: Counted): number => items.pending + items.indexing;

/** All items of a source. */
export const countItemsOf = ({ items }: Counted): number => countWaiting({ items }) + items.complete + items.error;
