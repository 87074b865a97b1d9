import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { clipsOptions } from '../../api/queries.ts';
import { formatSpan } from '../../lib/format.ts';
import { placeOf, type Size, toScreen, type View } from './map-view.ts';

/** Width of the tip and its height, CSS pixels. */
const width = 240;
const height = 216;
/** Between the tip and the picture that it belongs to. */
const gap = 34;
/** A point is loaded when the pointer has been on it for this long. */
const restMs = 60;

/** What a point shows, large, beside it. */
export function MapTip({ point, view, size }: { point: MapPoint; view: View; size: Size }) {
  const [rested, setRested] = useState(point.chunk_id);
  useEffect(() => {
    const timer = setTimeout(() => setRested(point.chunk_id), restMs);
    return () => clearTimeout(timer);
  }, [point.chunk_id]);
  const clip = useQuery({ ...clipsOptions([point.chunk_id]), enabled: rested === point.chunk_id }).data?.[0];
  const [left, top] = toScreen(placeOf(point, size), view);
  const below = top + gap + height < size.height;
  return (
    <figcaption
      role="status"
      className="pointer-events-none absolute overflow-hidden rounded-card border border-line bg-surface shadow-float transition-opacity duration-quick motion-reduce:transition-none starting:opacity-0"
      style={{
        width,
        height,
        left: Math.min(Math.max(8, left - width / 2), Math.max(8, size.width - width - 8)),
        top: below ? top + gap : Math.max(8, top - gap - height),
      }}
    >
      <span className="grid h-40 w-full place-items-center bg-raised">
        {clip ? (
          <img
            alt=""
            src={clip.thumbnails.find(({ width: own }) => own >= 2 * width)?.url ?? clip.thumbnail}
            className="max-h-40 w-full object-contain"
          />
        ) : null}
      </span>
      <span className="block px-2.5 py-2 text-xs">
        <span className="block truncate">{clip?.filename ?? '…'}</span>
        <span className="block text-quiet tabular-nums">
          {clip
            ? clip.type === 'image'
              ? describe(point.score)
              : `${formatSpan(clip)} · ${describe(point.score)}`
            : ''}
        </span>
      </span>
    </figcaption>
  );
}

/** How unusual a point is, in words. */
const describe = (score: number): string =>
  score > 0.98 ? 'very unusual' : score > 0.85 ? 'unusual' : score > 0.4 ? 'less usual' : 'usual';
