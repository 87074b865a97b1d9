import { useRef } from 'react';
import { justifyRows } from '../../lib/justified-rows.ts';
import { useElementSize } from '../../lib/use-element-size.ts';
import { useGridSize } from './grid-size.ts';
import { rowHeight } from './row-height.ts';

/** Shapes as photographs have them. */
const ratios = Array.from({ length: 60 }, (_, i) => [1.5, 1.33, 1.78, 0.75, 1.5][i % 5] ?? 1);

/** Rows of empty pictures in the place of a grid until its first items are there. */
export function GridSkeleton() {
  const ref = useRef<HTMLDivElement>(null);
  const { width } = useElementSize(ref);
  const [size] = useGridSize();
  const gap = width < 640 ? 2 : 4;
  const rows = width === 0 ? [] : justifyRows(ratios, width, rowHeight(size, { width }), gap);
  return (
    <div
      ref={ref}
      className="relative h-dvh overflow-hidden max-md:-mx-4"
      role="status"
      aria-busy="true"
      aria-label="Loading"
    >
      {rows.flatMap(({ top, height, lefts, widths }) =>
        lefts.map((left, i) => (
          <div
            key={`${top} ${left}`}
            className="absolute animate-pulse rounded-md bg-raised"
            style={{ top, left, height, width: widths[i] }}
          />
        )),
      )}
    </div>
  );
}
