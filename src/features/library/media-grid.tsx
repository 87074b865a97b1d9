import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { aspectRatiosOptions, type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { createJustifiedLayout } from './grid-layout.ts';
import { useGridSize } from './grid-size.ts';
import { MediaCard, MediaCardSkeleton } from './media-card.tsx';
import { type MediaGridProps, MediaRows } from './media-rows.tsx';
import { rowHeight } from './row-height.ts';
import type { GridWidth } from './use-grid-rows.ts';

/** All items of a filter as pictures in justified rows. */
export function MediaGrid(props: MediaGridProps) {
  const { filter, total } = props;
  const ratios = useRatios(filter, total);
  const [size, onResize] = useResizing();
  const createLayout = useCallback(
    (width: GridWidth) =>
      createJustifiedLayout([{ heading: undefined, count: total }], ratios, {
        ...width,
        target: rowHeight(size, width),
      }),
    [total, ratios, size],
  );
  return (
    <MediaRows
      {...props}
      createLayout={createLayout}
      Item={MediaCard}
      Skeleton={MediaCardSkeleton}
      onResize={onResize}
    />
  );
}

/** The size of pictures, and how to make it some times as large, many times a second. */
export function useResizing(): [size: number, resize: (factor: number) => void] {
  const [size, change] = useGridSize();
  // Not rounded, or small steps would lead nowhere.
  const exact = useRef(size);
  const resize = (factor: number) => {
    if (Math.abs(exact.current - size) > 1) exact.current = size;
    exact.current *= factor;
    change(exact.current);
  };
  return [size, resize];
}

/** Of what is not known yet: that of most cameras. */
const usual = 1.5;

/**
 * Width through height of all items of a filter. Those of the first page come with its items, so that it is shown without waiting for the
 * others.
 */
export function useRatios(filter: MediaFilter, total: number): Float32Array {
  const first = useQuery(mediaPageOptions(filter, 1)).data;
  const all = useQuery({ ...aspectRatiosOptions(filter), enabled: total > maxPerPage }).data;
  return useMemo(() => {
    const ratios = new Float32Array(total).fill(usual);
    for (const [position, ratio] of (all ?? []).entries()) {
      if (ratio > 0 && position < total) ratios[position] = ratio / 100;
    }
    for (const [position, item] of (first?.data ?? []).entries()) {
      if (position < total) ratios[position] = ratioOf(item);
    }
    return ratios;
  }, [first, all, total]);
}

/** Rounded as the service rounds it, so that nothing moves when the shapes of all items come. */
const ratioOf = ({ width, height }: MediaItem): number =>
  width && height ? Math.floor((200 * width + height) / (2 * height)) / 100 : usual;
