import type { ComponentProps } from 'react';

/** Widths that the service cuts thumbnails to, pixels. */
const widths = [320, 640];

const cutTo = (thumbnail: string, width: number): string => `${thumbnail}&card=${width}`;

/**
 * A thumbnail on a card of 16:9. The service brings it into that, without cutting faces off, in the width that
 * the card has on this screen. Another service that cannot gives it whole.
 */
export function CardImage({
  thumbnail,
  ...props
}: Omit<ComponentProps<'img'>, 'src' | 'srcSet'> & { thumbnail: string }) {
  // `auto` is the width that a lazy image is laid out with; what follows is for browsers that do not know it.
  return (
    <img
      alt=""
      loading="lazy"
      decoding="async"
      sizes="auto, 240px"
      {...props}
      srcSet={widths.map((width) => `${cutTo(thumbnail, width)} ${width}w`).join(', ')}
      src={cutTo(thumbnail, 320)}
    />
  );
}
