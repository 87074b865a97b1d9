import { type PointerEvent, useState } from 'react';

export type Corner = { x: number; y: number };

/** A smaller box is a click that slipped, CSS pixels. */
const least = 12;

/** Lies over a map while an area is selected: a drag draws a box. @param onSelect its corners from the upper left of the map, CSS pixels */
export function SelectArea({ onSelect }: { onSelect: (from: Corner, to: Corner) => void }) {
  const [drawn, setDrawn] = useState<{ from: Corner; to: Corner } | null>(null);
  const cornerOf = ({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>): Corner => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const end = () => {
    if (drawn && Math.abs(drawn.to.x - drawn.from.x) >= least && Math.abs(drawn.to.y - drawn.from.y) >= least)
      onSelect(drawn.from, drawn.to);
    setDrawn(null);
  };
  return (
    <div
      data-testid="select-area"
      className="absolute inset-0 z-[600] cursor-crosshair touch-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const corner = cornerOf(event);
        setDrawn({ from: corner, to: corner });
      }}
      onPointerMove={(event) => {
        const to = cornerOf(event);
        setDrawn((before) => before && { ...before, to });
      }}
      onPointerUp={end}
      onPointerCancel={() => setDrawn(null)}
    >
      {drawn ? (
        <span
          className="absolute rounded-sm border-2 border-accent bg-accent/15"
          style={{
            left: Math.min(drawn.from.x, drawn.to.x),
            top: Math.min(drawn.from.y, drawn.to.y),
            width: Math.abs(drawn.to.x - drawn.from.x),
            height: Math.abs(drawn.to.y - drawn.from.y),
          }}
        />
      ) : null}
    </div>
  );
}
