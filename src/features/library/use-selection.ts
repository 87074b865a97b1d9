import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type MediaFilter, mediaIdsOptions } from '../../api/queries.ts';
import { viewOf } from '../../lib/selected-items.ts';
import { allItems, change, emptySelection, inList, spanOf, toggleItem } from './selection.ts';

/** Which items of a filter are selected: one by one, a range from the last one, or all. */
export function useSelection(filter: MediaFilter, total: number) {
  const client = useQueryClient();
  const [stored, setSelection] = useState(emptySelection);
  const selection = inList(stored, filter, total);
  const range = useMutation({
    mutationFn: ({ span }: { span: { offset: number; limit: number }; on: boolean }) =>
      client.fetchQuery(mediaIdsOptions(filter, span)).then(({ data }) => data),
    onSuccess: (ids, { on }) => setSelection((before) => change(before, ids, on)),
  });

  return {
    items: selection.items,
    selected: viewOf(selection.items),
    /** Selects or deselects the item at a position; with `extend` selects all from the last position to this one. */
    select: (position: number, id: string, extend: boolean): void => {
      if (extend && selection.anchor !== null) {
        range.mutate({ span: spanOf(selection.anchor, position), on: true });
        setSelection({ ...selection, anchor: position });
      } else setSelection(toggleItem(selection, position, id));
    },
    /** Selects all from one position to another, or deselects them. */
    selectRange: (first: number, last: number, on = true): void => {
      range.mutate({ span: spanOf(first, last), on });
      setSelection({ ...selection, anchor: last });
    },
    selectAll: (): void => setSelection(allItems(filter, total)),
    clear: (): void => setSelection(emptySelection),
  };
}
