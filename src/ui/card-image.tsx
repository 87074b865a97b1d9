import { type ComponentProps, useEffect, useState } from 'react';
import { isScrollingFast } from '../lib/scroll-speed.ts';

/** A card that is scrolled past within this time asks for no picture, milliseconds. */
const passingMs = 100;
/** A picture that is there sooner after its card comes from a cache, and does not fade in, milliseconds. */
const cachedMs = 60;

/**
 * A thumbnail in the size that its place has on this screen, uncropped; `object-cover` fits it in. The request ends when the card goes. What shows
 * before (a placeholder) lies below.
 * @param thumbnail the address of its largest size, where only that is known
 * @param thumbnails its sizes
 */
export function CardImage({
  thumbnail,
  thumbnails,
  onLoad,
  ...props
}: Omit<ComponentProps<'img'>, 'src' | 'srcSet' | 'ref'> & {
  thumbnail: string;
  thumbnails?: { url: string; width: number }[] | undefined;
}) {
  const isWanted = useWanted();
  const [mountedAt] = useState(() => performance.now());
  const address = isWanted && {
    srcSet: thumbnails?.map(({ url, width }) => `${url} ${width}w`).join(),
    src: thumbnails?.[0]?.url ?? thumbnail,
  };
  return (
    <img
      alt=""
      loading="lazy"
      decoding="async"
      // `auto` is the width that a lazy image is laid out with; what follows is for browsers that do not know it.
      sizes="auto, 240px"
      {...props}
      ref={endRequest}
      onLoad={(event) => {
        if (performance.now() - mountedAt > cachedMs) event.currentTarget.dataset['late'] = '';
        onLoad?.(event);
      }}
      {...address}
    />
  );
}

/** Browsers go on loading an image that was taken out of the page. */
const endRequest = (image: HTMLImageElement | null) => () =>
  queueMicrotask(() => {
    if (!image || image.isConnected || image.complete) return;
    image.srcset = '';
    image.src = '';
  });

/** Whether a picture is to be asked for: at once, and after a moment where cards fly past. */
function useWanted(): boolean {
  const [isWanted, setWanted] = useState(() => !isScrollingFast());
  useEffect(() => {
    if (isWanted) return undefined;
    const timer = setTimeout(setWanted, passingMs, true);
    return () => clearTimeout(timer);
  }, [isWanted]);
  return isWanted;
}
