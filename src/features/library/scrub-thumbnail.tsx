import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useState } from 'react';
import type { MediaItem } from '../../api/generated/api.ts';
import { chunksOptions } from '../../api/queries.ts';

/** The picture of an item. Moving over that of a video goes through its chunks from the left to the right. */
export function ScrubThumbnail({ item, thumbnail }: { item: MediaItem; thumbnail: string }) {
  const [fraction, setFraction] = useState<number | null>(null);
  const scrubs = item.type === 'video' && item.chunk_count > 1;
  const chunks = useQuery({ ...chunksOptions(item.id), enabled: scrubs && fraction !== null }).data;
  const chunk =
    fraction === null ? undefined : chunks?.[Math.min(chunks.length - 1, Math.floor(fraction * chunks.length))];
  const onPointerMove = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setFraction(Math.min(0.999, Math.max(0, (event.clientX - left) / width)));
  };
  return (
    <div className="relative size-full" {...(scrubs ? { onPointerMove, onPointerLeave: () => setFraction(null) } : {})}>
      <img
        src={chunk?.thumbnail ?? thumbnail}
        alt=""
        loading="lazy"
        decoding="async"
        className="size-full object-cover"
      />
      {fraction !== null && chunks ? (
        <span
          aria-hidden
          className="absolute inset-y-0 w-0.5 bg-white/90 shadow"
          style={{ left: `${fraction * 100}%` }}
        />
      ) : null}
    </div>
  );
}
