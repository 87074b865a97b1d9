import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import type { ClipSpan } from './clip-span.ts';

/** Plays the span of a clip over and over. */
export function PreviewVideo({
  ref,
  item,
  span,
  frame,
}: {
  ref: Ref<HTMLVideoElement | null>;
  item: MediaItem;
  span: ClipSpan;
  /** How long a frame is shown, seconds. */
  frame: number;
}) {
  const video = useRef<HTMLVideoElement>(null);
  useImperativeHandle<HTMLVideoElement | null, HTMLVideoElement | null>(ref, () => video.current);
  useEffect(() => {
    const element = video.current;
    if (!element) return undefined;
    const onTime = () => {
      if (!element.paused && element.currentTime >= span.end) element.currentTime = span.start;
    };
    element.addEventListener('timeupdate', onTime);
    return () => element.removeEventListener('timeupdate', onTime);
  }, [span]);
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- the player of the item has what is said
    <video
      ref={video}
      src={item.url ?? undefined}
      poster={item.thumbnail ?? undefined}
      controls
      playsInline
      preload="metadata"
      aria-label="Preview of the clip"
      onLoadedMetadata={({ currentTarget }) => (currentTarget.currentTime = span.start + frame / 2)}
      className="max-h-[45dvh] w-full rounded-control bg-black"
    />
  );
}
