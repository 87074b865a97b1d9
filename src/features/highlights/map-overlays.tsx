import { clsx } from 'clsx';
import { CardImage } from '../../ui/card-image.tsx';
import type { View } from './draw-map.ts';
import type { Brush } from './use-map-pointer.ts';

/** A clip that stands out: its thumbnail over its dot. */
export function Standout({
  thumbnail,
  at: [left, top],
  view,
  faint,
}: {
  thumbnail: string | undefined;
  at: [number, number];
  view: View;
  faint: boolean;
}) {
  if (thumbnail === undefined) return null;
  return (
    <CardImage
      thumbnail={thumbnail}
      draggable={false}
      className={clsx(
        'pointer-events-none absolute top-0 left-0 aspect-video w-9 rounded-md border-2 border-accent bg-raised object-cover shadow-sm sm:w-14',
        faint && 'opacity-25',
      )}
      style={{
        transform: `translate(${view.k * left + view.x}px, ${view.k * top + view.y}px) translate(-50%, -50%)`,
      }}
    />
  );
}

/** The area that is being dragged out. */
export const BrushOverlay = ({ from, to }: Brush) => (
  <span
    aria-hidden
    className="pointer-events-none absolute rounded-sm border border-accent bg-accent/15"
    style={{
      left: Math.min(from[0], to[0]),
      top: Math.min(from[1], to[1]),
      width: Math.abs(from[0] - to[0]),
      height: Math.abs(from[1] - to[1]),
    }}
  />
);
