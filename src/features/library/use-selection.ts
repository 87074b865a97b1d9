import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { addItems, emptySelection, readRange, removeItems, toggleItem } from './selection.ts';

/** Which items of a filter are selected: one by one, a range from the last one, or a given list. */
export function useSelection(filter: MediaFilter) {
  const client = useQueryClient();
  const [selection, setSelection] = useState(emptySelection);
  const readPage = async (page: number) =>
    (await client.fetchQuery({ ...mediaPageOptions(filter, page), staleTime: 10_000 })).data;
  const range = useMutation({
    mutationFn: ({ positions }: { positions: [number, number]; on: boolean }) =>
      readRange(positions, maxPerPage, readPage),
    onSuccess: (ids, { on }) => setSelection((before) => (on ? addItems : removeItems)(before, ids)),
  });

  return {
    selected: selection.ids,
    /** Selects or deselects the item at a position; with `extend` selects all from the last position to this one. */
    select: (position: number, id: string, extend: boolean): void => {
      if (extend && selection.anchor !== null) {
        range.mutate({ positions: [selection.anchor, position], on: true });
        setSelection({ ...selection, anchor: position });
      } else setSelection(toggleItem(selection, position, id));
    },
    /** Selects all from one position to another, or deselects them. */
    selectRange: (first: number, last: number, on = true): void => {
      range.mutate({ positions: [first, last], on });
      setSelection((before) => ({ ...before, anchor: last }));
    },
    replace: (ids: readonly string[]) => setSelection((before) => ({ ...before, ids: new Set(ids) })),
    clear: (): void => setSelection(emptySelection),
  };
}
