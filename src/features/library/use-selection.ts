import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';

/** Which items of a filter are selected: one by one, a range from the last one, or a given list. */
export function useSelection(filter: MediaFilter) {
  const client = useQueryClient();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<number | null>(null);

  /** The identifiers of the items from one place to another; reads the pages that were never shown. */
  async function readRange(from: number, to: number): Promise<string[]> {
    const ids: string[] = [];
    const pageOf = (place: number) => Math.floor(place / maxPerPage) + 1;
    for (let page = pageOf(from); page <= pageOf(to); page++) {
      const { data } = await client.fetchQuery({ ...mediaPageOptions(filter, page), staleTime: 10_000 });
      const begin = (page - 1) * maxPerPage;
      ids.push(...data.slice(Math.max(0, from - begin), to - begin + 1).map(({ id }) => id));
    }
    return ids;
  }
  const range = useMutation({
    mutationFn: ({ from, to }: { from: number; to: number }) => readRange(Math.min(from, to), Math.max(from, to)),
    onSuccess: (ids) => setSelected((before) => new Set([...before, ...ids])),
  });

  return {
    selected,
    /** Selects the item at a place or takes it out; with `extend` selects all from the last place to this one. */
    select: (place: number, id: string, extend: boolean): void => {
      if (extend && last !== null) range.mutate({ from: last, to: place });
      else {
        const next = new Set(selected);
        if (!next.delete(id)) next.add(id);
        setSelected(next);
      }
      setLast(place);
    },
    replace: (ids: readonly string[]) => setSelected(new Set(ids)),
    clear: (): void => {
      setSelected(new Set());
      setLast(null);
    },
  };
}
