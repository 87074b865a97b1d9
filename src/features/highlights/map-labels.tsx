import { useMemo } from 'react';
import type { MapLabel } from '../../api/generated/api/index.ts';
import { placeOf, type Size, toScreen, type View } from './map-view.ts';

/** The magnifications at which names of each fineness are written: fully from `from` to `to`. The coarsest have no `from`. */
const spans = [
  { from: 0, to: 1.9 },
  { from: 1.9, to: 5 },
  { from: 5, to: Infinity },
];

/** About the width of a letter and the height of a line, CSS pixels. */
const letter = 6.8;
const line = 22;
/** The same name is not written twice within this distance. */
const leastGap = 240;
/** Around the letters. */
const padding = 20;

/** The names of groups that fit on the map side by side, those of larger groups first. */
export function MapLabels({ labels, size, view }: { labels: readonly MapLabel[]; size: Size; view: View }) {
  const shown = useMemo(() => fitLabels(labels, size, view), [labels, size, view]);
  return (
    <>
      <div aria-hidden className="pointer-events-none absolute inset-0 overflow-hidden">
        {shown.map(({ label, left, top }) => (
          <span
            key={`${label.level} ${label.text} ${label.x} ${label.y}`}
            data-map-label={label.level}
            className="absolute top-0 left-0 rounded-full bg-surface/90 px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap text-ink shadow-sm transition-opacity duration-calm motion-reduce:transition-none starting:opacity-0"
            style={{ transform: `translate(${left}px, ${top}px) translate(-50%, -50%)` }}
          >
            {label.text}
          </span>
        ))}
      </div>
      {labels.length === 0 ? null : (
        <p className="sr-only">
          Groups on the map:{' '}
          {labels
            .filter(({ level }) => level === 0)
            .map(({ text, count }) => `${text} (${count})`)
            .join('; ')}
        </p>
      )}
    </>
  );
}

type PlacedLabel = { label: MapLabel; left: number; top: number };

/** Names that do not overlap, and that lie on the map. */
export function fitLabels(labels: readonly MapLabel[], size: Size, view: View): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  const half = ({ text }: MapLabel) => (text.length * letter + padding) / 2;
  const wanted = spans.findIndex(({ from, to }) => view.k >= from && view.k < to);
  // Those of one step before stay where finer ones leave room.
  const candidates = labels.filter(({ level }) => level === wanted || level === wanted - 1);
  for (const label of candidates.toSorted((a, b) => b.level - a.level || b.count - a.count)) {
    const [x, y] = toScreen(placeOf(label, size), view);
    if (x < -half(label) || y < 0 || x > size.width + half(label) || y > size.height) continue;
    // A name at the edge is moved in, so that it can be read whole.
    const left = Math.min(Math.max(x, half(label) + 8), size.width - half(label) - 8);
    const top = Math.min(Math.max(y, line), size.height - line);
    const overlaps = placed.some(
      (other) =>
        (other.label.text === label.text && Math.hypot(other.left - left, other.top - top) < leastGap) ||
        (Math.abs(other.left - left) < half(other.label) + half(label) + 12 && Math.abs(other.top - top) < line + 4),
    );
    if (!overlaps) placed.push({ label, left, top });
  }
  return placed;
}
