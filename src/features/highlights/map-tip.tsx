import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { clipsOptions } from '../../api/queries.ts';
import { formatPercent, formatSpan } from '../../lib/format.ts';
import type { Size } from './draw-map.ts';

/** Width of the tip, and its height about, pixels. */
const width = 192;
const height = 166;
/** A pointer that only passes by asks for nothing. */
const restMs = 60;

/** What a point shows, beside it. */
export function MapTip({ point, left, top, size }: { point: MapPoint; left: number; top: number; size: Size }) {
  const [rested, setRested] = useState(point.chunk_id);
  useEffect(() => {
    const timer = setTimeout(() => setRested(point.chunk_id), restMs);
    return () => clearTimeout(timer);
  }, [point.chunk_id]);
  const clip = useQuery({ ...clipsOptions([point.chunk_id]), enabled: rested === point.chunk_id }).data?.[0];
  const below = top + 18 + height < size.height;
  return (
    <figcaption
      role="status"
      className="pointer-events-none absolute overflow-hidden rounded-card border border-line bg-surface shadow-float"
      style={{
        width,
        left: Math.min(Math.max(8, left - width / 2), Math.max(8, size.width - width - 8)),
        top: below ? top + 18 : Math.max(8, top - 18 - height),
      }}
    >
      <span className="block aspect-video w-full bg-raised">
        {clip ? <img src={clip.thumbnail} alt="" className="size-full object-cover" /> : null}
      </span>
      <span className="block px-2.5 py-2 text-xs">
        <span className="block truncate">{clip?.filename ?? '…'}</span>
        <span className="flex justify-between text-quiet tabular-nums">
          <span>{clip ? formatSpan(clip) : ''}</span>
          <span>Unusual {formatPercent(point.score)}</span>
        </span>
      </span>
    </figcaption>
  );
}
