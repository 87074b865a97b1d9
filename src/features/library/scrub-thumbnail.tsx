import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useEffect, useMemo, useState } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { chunksOptions } from '../../api/queries.ts';
import { CardImage } from '../../ui/card-image.tsx';

/** How long each chunk shows while a card has the keyboard's focus. */
const stepMs = 900;

/**
 * The image of an item. Moving over that of a video goes through its chunks from the left to the right; with the keyboard's
 * focus they follow each other. The pictures take no pointer: a click whose press and release meet two of them would be none.
 */
export function ScrubThumbnail({
  item,
  thumbnail,
  width,
  focused,
}: {
  item: MediaItem;
  thumbnail: string;
  /** Of the picture on the page, pixels. */
  width: number;
  focused: boolean;
}) {
  const [fraction, setFraction] = useState<number | null>(null);
  const scrubs = item.type === 'video' && item.chunk_count > 1;
  const placeholder = usePlaceholder(item.placeholder);
  const onPointerMove = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setFraction(Math.min(0.999, Math.max(0, (event.clientX - left) / width)));
  };
  return (
    <div
      className="relative size-full bg-cover bg-center"
      style={placeholder === null ? {} : { backgroundImage: `url(${placeholder})` }}
      {...(scrubs ? { onPointerMove, onPointerLeave: () => setFraction(null) } : {})}
    >
      {scrubs && (focused || fraction !== null) ? (
        <Frames id={item.id} thumbnail={thumbnail} width={width} fraction={fraction} />
      ) : (
        <CardImage
          thumbnail={thumbnail}
          sizes={`${width}px`}
          thumbnails={item.thumbnails}
          // The card is dragged, not its picture, which other programs would take as a file.
          draggable={false}
          className="pointer-events-none size-full object-cover"
        />
      )}
    </div>
  );
}

/**
 * The chunks of a video, one at a time. Apart, so that a card without the pointer has nothing to follow: hundreds come and go while the
 * library is scrolled.
 * @param fraction where the pointer is; null: they follow each other
 */
function Frames({
  id,
  thumbnail,
  width,
  fraction,
}: {
  id: string;
  thumbnail: string;
  width: number;
  fraction: number | null;
}) {
  const chunks = useQuery(chunksOptions(id)).data;
  const step = useSteps(fraction === null);
  const place = fraction === null ? step : Math.floor(fraction * (chunks?.length ?? 0));
  const chunk = place === null ? undefined : chunks?.[place % chunks.length];
  return (
    <>
      <CardImage
        thumbnail={chunk?.thumbnail ?? thumbnail}
        sizes={`${width}px`}
        thumbnails={chunk?.thumbnails}
        draggable={false}
        className="pointer-events-none size-full object-cover"
      />
      {fraction !== null && chunks ? (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 w-0.5 bg-white/90 shadow"
          style={{ left: `${fraction * 100}%` }}
        />
      ) : null}
    </>
  );
}

type ToDataUrl = (hash: Uint8Array) => string;

/** What turns a placeholder into an image, once it has loaded: after the first page. */
let toDataUrl: ToDataUrl | null = null;
const placeholderLibrary = import('thumbhash').then(({ thumbHashToDataURL }) => (toDataUrl = thumbHashToDataURL));

/** A few blurred colours in the place of an image until it has been loaded. */
function usePlaceholder(hash: string | null): string | null {
  const [convert, setConvert] = useState<ToDataUrl | null>(() => toDataUrl);
  useEffect(() => {
    if (!convert) void placeholderLibrary.then((library) => setConvert(() => library));
  }, [convert]);
  return useMemo(
    () => (hash && convert ? convert(Uint8Array.from(atob(hash), (char) => char.charCodeAt(0))) : null),
    [hash, convert],
  );
}

/** Counts up while `on`; null when not, or where less motion is wanted. */
function useSteps(on: boolean): number | null {
  const [step, setStep] = useState(0);
  const counts = on && !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  useEffect(() => {
    if (!counts) return undefined;
    const timer = setInterval(() => setStep((before) => before + 1), stepMs);
    return () => clearInterval(timer);
  }, [counts]);
  return counts ? step : null;
}
