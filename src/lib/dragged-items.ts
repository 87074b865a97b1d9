import { type DragEvent, useState } from 'react';
import { countSelected, type SelectedItems } from './selected-items.ts';

/** Marks a drag of items among those of files and texts. */
const marker = 'application/x-media-search-items';

/** The items that are dragged in this window: there may be more of them than fit into the drag itself. */
let dragged: SelectedItems | null = null;

/** The items that are dragged now; null: none. */
export const draggedItems = (): SelectedItems | null => dragged;

/** Whether a drag carries items. */
export const carriesItems = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes(marker);

/**
 * Makes a drag carry items.
 * @param text what is shown at the pointer
 */
export function dragItems({ dataTransfer }: DragEvent, items: SelectedItems, text: string): void {
  dragged = items;
  dataTransfer.setData(marker, String(countSelected(items)));
  dataTransfer.effectAllowed = 'all';
  const badge = document.createElement('div');
  badge.textContent = text;
  badge.className =
    'fixed -top-40 left-0 rounded-control bg-accent px-3 py-1.5 text-sm font-medium text-accent-ink shadow-float';
  document.body.append(badge);
  dataTransfer.setDragImage(badge, -12, -12);
  // The browser has taken its picture by then.
  setTimeout(() => badge.remove());
}

/** Lets items be dropped on an element. `isOver`: they are above it. */
export function useItemDrop(onDrop: (items: SelectedItems) => void) {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!carriesItems(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setIsOver(true);
      },
      onDragLeave: () => setIsOver(false),
      onDrop: (event: DragEvent) => {
        if (!carriesItems(event)) return;
        event.preventDefault();
        setIsOver(false);
        // From another window nothing is known but how many there are.
        if (dragged !== null) onDrop(dragged);
        dragged = null;
      },
    },
  };
}
