import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { type MediaFilter, mediaIdsOptions } from '../../api/queries.ts';
import { carriesItems, draggedItems } from '../../lib/dragged-items.ts';
import { placeAfterKey, type Spot, spotAt } from './order-places.ts';
import { useMoveItems } from './use-move-items.ts';

/**
 * Lets items of a grid be moved within their collection: dragged to another place, or by the arrows with Alt. The grid's items carry `data-position`.
 * @param filter the list that is shown: the whole collection in its order
 */
export function CollectionOrder({
  collection,
  filter,
  total,
  children,
}: {
  collection: string;
  filter: MediaFilter;
  total: number;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const client = useQueryClient();
  const [spot, setSpot] = useState<Spot | null>(null);
  const moveItems = useMoveItems(collection);

  /** Moves items to before the item at a position, or before the next one after it that stays. */
  const moveTo = async (ids: readonly string[], position: number) => {
    const limit = Math.min(total - position, ids.length + 1);
    const moving = new Set(ids);
    const following =
      limit > 0 ? (await client.fetchQuery(mediaIdsOptions(filter, { offset: position, limit }))).data : [];
    moveItems(ids, following.find((id) => !moving.has(id)) ?? null);
  };
  const moveByKey = async (event: KeyboardEvent) => {
    const card = event.target instanceof Element ? event.target.closest('[data-position]') : null;
    if (!event.altKey || !card || !ref.current) return;
    const from = Number(card.getAttribute('data-position'));
    const to = placeAfterKey(event.key, from, total, ref.current);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (to === from) return;
    const [id] = (await client.fetchQuery(mediaIdsOptions(filter, { offset: from, limit: 1 }))).data;
    if (id !== undefined) await moveTo([id], to > from ? to + 1 : to);
  };
  const onDrop = (event: DragEvent) => {
    const items = draggedItems();
    const wanted = spot;
    setSpot(null);
    if (!carriesItems(event) || !items || !('ids' in items) || wanted === null) return;
    event.preventDefault();
    void moveTo([...items.ids], wanted.position);
  };
  return (
    <div
      ref={ref}
      className="relative"
      // Before the grid, for which arrows lead to other items.
      onKeyDownCapture={(event) => void moveByKey(event)}
      onDragOver={(event) => {
        if (!carriesItems(event) || !ref.current) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        setSpot(spotAt(ref.current, event));
      }}
      onDragLeave={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && ref.current?.contains(relatedTarget))) setSpot(null);
      }}
      onDragEnd={() => setSpot(null)}
      onDrop={onDrop}
    >
      {children}
      {spot === null ? null : (
        <div
          aria-hidden
          className="pointer-events-none absolute z-10 w-1 -translate-x-1/2 rounded-full bg-accent"
          style={{ left: spot.left, top: spot.top, height: spot.height }}
        />
      )}
      <p className="sr-only" id="order-help">
        Alt with an arrow key moves the item that has the focus within the collection.
      </p>
    </div>
  );
}
