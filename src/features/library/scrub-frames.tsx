import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { chunksOptions } from '../../api/queries.ts';
import { CardImage } from '../../ui/card-image.tsx';

/** How long each chunk shows while a card has the keyboard's focus. */
const stepMs = 900;

/**
 * The chunks of a video, one at a time. Apart, so that a card without the pointer has nothing to follow: hundreds come and go while the
 * library is scrolled.
 * @param fraction where the pointer is; null: they follow each other
 */
export function ScrubFrames({
  item,
  thumbnail,
  width,
  fraction,
}: {
  item: MediaItem;
  thumbnail: string;
  width: number;
  fraction: number | null;
}) {
  const chunks = useQuery(chunksOptions(item.id)).data;
  const step = useSteps(fraction === null);
  const place = fraction === null ? step : Math.floor(fraction * (chunks?.length ?? 0));
  const chunk = place === null ? undefined : chunks?.[place % chunks.length];
  return (
    <>
      <CardImage
        thumbnail={chunk?.thumbnail ?? thumbnail}
        thumbnails={(chunk ?? item).thumbnails}
        sizes={`${width}px`}
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
