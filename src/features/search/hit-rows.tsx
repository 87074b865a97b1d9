import { clsx } from 'clsx';
import { Fragment, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { justifyRows } from '../../lib/justified-rows.ts';
import type { ShownHit } from './shown-hit.ts';

/** The width of a list, whole CSS pixels, measured before it is painted; zero until then. */
function useListWidth() {
  const ref = useRef<HTMLUListElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return undefined;
    // Rounded down: a row of one pixel more would break.
    const measure = () => setWidth(Math.floor(list.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Lists of less width are those of a phone. */
const narrowBelow = 600;

/** Height that rows come near to, and the gap between pictures, by the width of the list: two or three pictures a row on a phone. */
const rowSizes = (width: number): { target: number; gap: number } =>
  width < narrowBelow ? { target: 132, gap: 6 } : width < 960 ? { target: 180, gap: 8 } : { target: 216, gap: 8 };

/** The shape of a picture whose size is not known, as of a service that does not tell. */
const usualRatio = 16 / 9;

const ratioOf = ({ thumbnails }: ShownHit): number => {
  const largest = thumbnails.at(-1);
  return largest ? largest.width / largest.height : usualRatio;
};

/** Hits side by side in rows that fill the width, each picture in its own shape. */
export function HitRows<Hit extends ShownHit>({
  hits,
  label,
  busy = false,
  renderTile,
  isUnfolded,
  renderUnfolded,
}: {
  hits: Hit[];
  label?: string;
  busy?: boolean;
  /** @param size of its picture; `narrow`: there is little room over it */
  renderTile: (hit: Hit, size: { width: number; height: number; narrow: boolean }) => ReactNode;
  /** Whether something is unfolded below the row of a hit. */
  isUnfolded?: (hit: Hit) => boolean;
  renderUnfolded?: (hit: Hit) => ReactNode;
}) {
  const { ref, width } = useListWidth();
  const { target, gap } = rowSizes(width);
  const rows = width > 0 ? justifyRows(hits.map(ratioOf), width, target, gap) : [];
  return (
    <ul ref={ref} aria-label={label} aria-busy={busy} className="flex flex-wrap" style={{ gap }}>
      {rows.map(({ first, count, height, widths }) => {
        const inRow = hits.slice(first, first + count);
        const unfolded = inRow.find((hit) => isUnfolded?.(hit));
        return (
          <Fragment key={inRow[0]?.chunk_id}>
            {inRow.map((hit, i) => (
              <li key={hit.chunk_id}>
                {renderTile(hit, { width: widths[i] ?? 0, height, narrow: width < narrowBelow })}
              </li>
            ))}
            {unfolded ? <li className="basis-full">{renderUnfolded?.(unfolded)}</li> : null}
          </Fragment>
        );
      })}
    </ul>
  );
}

/** Shapes of pictures that stand for those to come, a row each. */
const expected = [
  [3, 4, 3, 5],
  [5, 3, 4, 4],
  [4, 5, 3, 3],
];

/** Stands where hits will be. */
export function HitSkeletons() {
  return (
    <div className="grid gap-2" role="status" aria-busy="true" aria-label="Searching">
      {expected.map((shapes) => (
        <div key={shapes.join('')} className="flex h-39 gap-1.5 sm:h-45 sm:gap-2 lg:h-54">
          {shapes.map((shape, i) => (
            <div
              // oxlint-disable-next-line react/no-array-index-key -- they never change places
              key={i}
              style={{ flexGrow: shape }}
              className={clsx('animate-pulse rounded-control bg-raised', i > 1 && 'max-sm:hidden')}
            />
          ))}
        </div>
      ))}
    </div>
  );
}
