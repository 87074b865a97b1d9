/**
 * A queue in which workspaces take turns: what one of them has waiting keeps the next of another waiting for one turn only.
 */
export type TurnQueue<Item> = {
  add: (workspaceId: string, item: Item) => void;
  /** Takes the next item out; undefined when none waits. */
  next: () => Item | undefined;
  size: () => number;
};

export function createTurnQueue<Item>(): TurnQueue<Item> {
  /** By workspace what waits, the workspace whose turn is next first. */
  const waiting = new Map<string, Item[]>();
  let size = 0;
  return {
    size: () => size,

    add(workspaceId, item) {
      size += 1;
      const items = waiting.get(workspaceId);
      if (items) items.push(item);
      else waiting.set(workspaceId, [item]);
    },

    next() {
      const [first] = waiting;
      if (!first) return undefined;
      const [workspaceId, items] = first;
      const item = items.shift();
      size -= 1;
      waiting.delete(workspaceId);
      if (items.length > 0) waiting.set(workspaceId, items);
      return item;
    },
  };
}
