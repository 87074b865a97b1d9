import { type PointerEvent, Suspense, useEffect, useMemo, useState } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { CardImage } from '../../ui/card-image.tsx';

/** Loaded when the first card is pointed at. */
const ScrubFrames = lazyPart(async () => (await import('./scrub-frames.tsx')).ScrubFrames);

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
  const picture = (
    <CardImage
      thumbnail={thumbnail}
      thumbnails={item.thumbnails}
      sizes={`${width}px`}
      // The card is dragged, not its picture, which other programs would take as a file.
      draggable={false}
      className="pointer-events-none size-full object-cover"
    />
  );
  return (
    <div
      className="relative size-full bg-cover bg-center"
      style={placeholder === null ? {} : { backgroundImage: `url(${placeholder})` }}
      {...(scrubs ? { onPointerMove, onPointerLeave: () => setFraction(null) } : {})}
    >
      {scrubs && (focused || fraction !== null) ? (
        <Suspense fallback={picture}>
          <ScrubFrames item={item} thumbnail={thumbnail} width={width} fraction={fraction} />
        </Suspense>
      ) : (
        picture
      )}
    </div>
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
