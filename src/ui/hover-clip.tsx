import { useEffect, useRef } from 'react';

/**
 * Plays a span of a video silently and over and over, in the place of an image, until it is taken away. It
 * is no target of the pointer: a press on something that is gone at its release would be no click.
 */
export function HoverClip({ url, start, end }: { url: string; start: number; end: number }) {
  const ref = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const video = ref.current;
    if (!video) return undefined;
    const begin = () => {
      video.currentTime = start;
      video.play().catch(() => undefined);
    };
    const onTime = () => {
      // A quarter of a second is how often this is told; a glimpse of the next shot must not show.
      if (video.currentTime >= end - 0.25) video.currentTime = start;
    };
    video.addEventListener('loadedmetadata', begin);
    video.addEventListener('timeupdate', onTime);
    return () => {
      video.removeEventListener('loadedmetadata', begin);
      video.removeEventListener('timeupdate', onTime);
      // Stops the download as well.
      video.removeAttribute('src');
      video.load();
    };
  }, [start, end]);
  return (
    // eslint-disable-next-line jsx-a11y/media-has-caption -- without sound; what is said is in the hit's text
    <video
      ref={ref}
      src={url}
      muted
      loop
      playsInline
      preload="auto"
      aria-hidden
      className="pointer-events-none absolute inset-0 size-full object-cover"
    />
  );
}
