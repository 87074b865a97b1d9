import { useQueries } from '@tanstack/react-query';
import { ShoppingBasket, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { clipsOptions, itemsOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { formatCount, formatTime } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { BasketMoment } from './basket-moments.ts';
import { BasketRow } from './basket-row.tsx';
import { useBasket } from './use-basket.ts';

/** What was collected, in its order, and what can be made of it. */
export function BasketDrawer({
  renderExport,
  onClose,
}: {
  renderExport: (moments: BasketMoment[]) => ReactNode;
  onClose: () => void;
}) {
  const basket = useBasket();
  const { moments } = basket;
  const clips = useBasketClips(moments);
  const present = moments.filter(({ mediaId }) => !clips.missing.has(mediaId));
  const seconds = present.reduce((sum, { start, end }) => sum + (end - start), 0);
  /** Puts back what was just cleared. Here and not in a toast, which lies below the drawer. */
  const [undo, setUndo] = useState<(() => void) | null>(null);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-overlay z-40" />
        <Dialog.Content
          aria-describedby={undefined}
          // In a field it means that alone.
          onEscapeKeyDown={(event) => event.target instanceof HTMLInputElement && event.preventDefault()}
          className="fixed inset-y-0 right-0 z-40 flex w-[min(28rem,100vw)] flex-col border-l border-line bg-surface shadow-float"
        >
          <header className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <Dialog.Title className="text-base font-semibold">Basket</Dialog.Title>
            {moments.length > 0 ? (
              <p className="text-quiet tabular-nums" aria-live="polite">
                {formatCount(moments.length)} {moments.length === 1 ? 'moment' : 'moments'} · {formatTime(seconds)}
              </p>
            ) : null}
            <span className="ml-auto" />
            {moments.length > 0 ? (
              <Button variant="quiet" size="small" onClick={() => setUndo(() => basket.clear())}>
                Clear
              </Button>
            ) : null}
            <Dialog.Close asChild>
              <IconButton icon={X} label="Close" />
            </Dialog.Close>
          </header>
          {moments.length === 0 ? (
            <Notice
              icon={ShoppingBasket}
              title="The basket is empty"
              action={undo ? <Button onClick={undo}>Undo clear</Button> : null}
            >
              Collect moments of any search with the plus on their cards, or with{' '}
              <kbd className="rounded border border-line bg-canvas px-1.5">B</kbd> while one plays. They stay here until
              you take them out.
            </Notice>
          ) : (
            <MomentList clips={clips} onClose={onClose} />
          )}
          {present.length > 0 ? <footer className="border-t border-line p-4">{renderExport(present)}</footer> : null}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The moments; they are moved by dragging, by Alt with an arrow, or by their buttons. */
function MomentList({ clips, onClose }: { clips: ReturnType<typeof useBasketClips>; onClose: () => void }) {
  const basket = useBasket();
  const { moments } = basket;
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const drop = () => {
    if (dragged !== null && over !== null && dragged !== over) basket.move(dragged, over);
    setDragged(null);
    setOver(null);
  };
  return (
    <ol aria-label="Moments" className="min-h-0 flex-1 divide-y divide-line overflow-y-auto overscroll-contain">
      {moments.map((moment, place) => (
        <BasketRow
          key={moment.key}
          moment={moment}
          place={place}
          count={moments.length}
          thumbnail={clips.thumbnails.get(moment.key)}
          isMissing={clips.missing.has(moment.mediaId)}
          isDragged={dragged === place}
          isTarget={over === place && dragged !== null && dragged !== place}
          onMove={(to) => basket.move(place, to)}
          onRename={(name) => basket.rename(moment.key, name)}
          onRemove={() => basket.remove(moment.key)}
          onOpen={onClose}
          onDragStart={() => setDragged(place)}
          onDragOver={() => setOver(place)}
          onDragEnd={drop}
        />
      ))}
    </ol>
  );
}

const inPages = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxPerPage) }, (_, i) => ids.slice(i * maxPerPage, (i + 1) * maxPerPage));

/** What shows the moments of a basket: their URLs expire, so they are not kept with them. And which items are gone. */
function useBasketClips(moments: BasketMoment[]): {
  thumbnails: Map<string, string>;
  missing: Set<string>;
} {
  const mediaIds = [...new Set(moments.map(({ mediaId }) => mediaId))];
  const chunkIds = [...new Set(moments.flatMap(({ chunkId }) => chunkId ?? []))];
  const items = useQueries({ queries: inPages(mediaIds).map((ids) => itemsOptions(ids)) });
  const clips = useQueries({ queries: inPages(chunkIds).map((ids) => clipsOptions(ids)) });
  const found = new Map(items.flatMap(({ data = [] }) => data.map((item) => [item.id, item] as const)));
  const ofChunk = new Map(
    clips.flatMap(({ data = [] }) => data.map((clip) => [clip.chunk_id, clip.thumbnail] as const)),
  );
  const isKnown = items.every(({ isSuccess }) => isSuccess);
  return {
    thumbnails: new Map(
      moments.flatMap(({ key, chunkId, mediaId }) => {
        const url = ofChunk.get(chunkId ?? '') ?? found.get(mediaId)?.thumbnail;
        return url ? [[key, url] as const] : [];
      }),
    ),
    missing: new Set(isKnown ? mediaIds.filter((id) => !found.has(id)) : []),
  };
}
