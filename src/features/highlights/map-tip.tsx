import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { clipsOptions } from '../../api/queries.ts';
import { formatPercent, formatSpan } from '../../lib/format.ts';
import { CardImage } from '../../ui/card-image.tsx';
import { placeOf, type Size, type View } from './draw-map.ts';

/** Width of the tip and its approximate height, CSS pixels. */
const width = 192;
const height = 166;
/** A point is loaded when the pointer has been on it for this long. */
const restMs = 60;

/** What a point shows, beside it. */
export function MapTip({ point, view, size }: { point: MapPoint; view: View; size: Size }) {
  const [rested, setRested] = useState(point.chunk_id);
  useEffect(() => {
    const timer = setTimeout(() => setRested(point.chunk_id), restMs);
    return () => clearTimeout(timer);
  }, [point.chunk_id]);
  const clip = useQuery({ ...clipsOptions([point.chunk_id]), enabled: rested === point.chunk_id }).data?.[0];
  const place = placeOf(point, size);
  const [left, top] = [view.k * place[0] + view.x, view.k * place[1] + view.y];
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
        {clip ? <CardImage thumbnail={clip.thumbnail} className="size-full object-cover" /> : null}
      </span>
      <span className="block px-2.5 py-2 text-xs">
        <span className="block truncate">{clip?.filename ?? '…'}</span>
        <span className="flex justify-between text-quiet tabular-nums">
          <span>{clip ? formatSpan(clip) : ''}</span>
          <span>Uniqueness {formatPercent(point.score)}</span>
        </span>
      </span>
    </figcaption>
  );
}
