import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { type MediaFilter, mediaIdsOptions } from '../../api/queries.ts';
import { carriesItems, draggedItems } from '../../lib/dragged-items.ts';
import { placeAfterKey, type Spot, spotAt } from './order-places.ts';
import { useMoveItems } from './use-move-items.ts';

/** What moves items of the list that is shown. */
function useMoves(collection: string, filter: MediaFilter, total: number) {
  const client = useQueryClient();
  const moveItems = useMoveItems(collection);
  const readIds = async (offset: number, limit: number) =>
    limit > 0 ? (await client.fetchQuery(mediaIdsOptions(filter, { offset, limit }))).data : [];
  /** Moves items to before the item at a position, or before the next one after it that stays. */
  const moveTo = async (ids: readonly string[], position: number): Promise<void> => {
    const moving = new Set(ids);
    const following = await readIds(position, Math.min(total - position, ids.length + 1));
    moveItems(ids, following.find((id) => !moving.has(id)) ?? null);
  };
  /** Moves the item at a position to another one. */
  const moveOne = async (from: number, to: number): Promise<void> => {
    const [id] = await readIds(from, 1);
    if (id !== undefined) await moveTo([id], to > from ? to + 1 : to);
  };
  return { moveTo, moveOne };
}

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
  const [spot, setSpot] = useState<Spot | null>(null);
  const { moveTo, moveOne } = useMoves(collection, filter, total);

  const onKey = (event: KeyboardEvent) => {
    const card = event.target instanceof Element ? event.target.closest('[data-position]') : null;
    if (!event.altKey || !card || !ref.current) return;
    const from = Number(card.getAttribute('data-position'));
    const to = placeAfterKey(event.key, from, total, ref.current);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== from) void moveOne(from, to);
  };
  const onDragOver = (event: DragEvent) => {
    if (!carriesItems(event) || !ref.current) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setSpot(spotAt(ref.current, event));
  };
  const onDragLeave = ({ relatedTarget }: DragEvent) => {
    if (!(relatedTarget instanceof Node && ref.current?.contains(relatedTarget))) setSpot(null);
  };
  const onDrop = (event: DragEvent) => {
    const items = draggedItems();
    setSpot(null);
    if (!carriesItems(event) || !items || !('ids' in items) || !ref.current) return;
    event.preventDefault();
    const place = spotAt(ref.current, event);
    if (place) void moveTo([...items.ids], place.position);
  };
  return (
    <div
      ref={ref}
      className="relative"
      // Before the grid, for which arrows lead to other items.
      onKeyDownCapture={onKey}
      onDragEnd={() => setSpot(null)}
      {...{ onDragOver, onDragLeave, onDrop }}
    >
      {children}
      {spot === null ? null : (
        <div
          aria-hidden
          className="pointer-events-none absolute z-10 w-1 -translate-x-1/2 rounded-full bg-accent"
          style={{ left: spot.left, top: spot.top, height: spot.height }}
        />
      )}
    </div>
  );
}
