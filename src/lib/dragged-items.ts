import { type DragEvent, useState } from 'react';

/** Marks a drag of items among those of files and texts. */
const marker = 'application/x-media-search-items';

/** The items that are dragged in this window: there may be more of them than fit into the drag itself. */
let dragged: readonly string[] = [];

/**
 * Makes a drag carry items.
 * @param text what is shown at the pointer
 */
export function dragItems({ dataTransfer }: DragEvent, ids: readonly string[], text: string): void {
  dragged = ids;
  dataTransfer.setData(marker, String(ids.length));
  dataTransfer.effectAllowed = 'copyLink';
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
export function useItemDrop(onDrop: (ids: readonly string[]) => void) {
  const [isOver, setIsOver] = useState(false);
  const carriesItems = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes(marker);
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
        if (dragged.length > 0) onDrop(dragged);
        dragged = [];
      },
    },
  };
}
