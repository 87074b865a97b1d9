import { useState } from 'react';
import type { MediaItem } from '../../api/generated/api.ts';

/** Which items are selected: one by one, a range from the last one, or a given list. */
export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<number | null>(null);
  return {
    selected,
    /** Selects the item at a place or takes it out; with `range` selects all from the last place to this one. */
    select: (place: number, range: boolean, loaded: ReadonlyMap<number, MediaItem>): void => {
      const next = new Set(selected);
      const id = loaded.get(place)?.id;
      if (id === undefined) return;
      if (range && last !== null) {
        for (let i = Math.min(last, place); i <= Math.max(last, place); i++) {
          const each = loaded.get(i)?.id;
          if (each !== undefined) next.add(each);
        }
      } else if (next.has(id)) next.delete(id);
      else next.add(id);
      setSelected(next);
      setLast(place);
    },
    replace: (ids: readonly string[]) => setSelected(new Set(ids)),
    clear: (): void => {
      setSelected(new Set());
      setLast(null);
    },
  };
}
