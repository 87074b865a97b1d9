import type { MediaItem } from './generated/api/index.ts';

/** Whether an item still has to be indexed before it can be found. */
export const isUnderWay = ({ status }: Pick<MediaItem, 'status'>): boolean =>
  status === 'pending' || status === 'indexing';

/**
 * Milliseconds until items are read again: 1 s while one of those under way changed in the last 30 s, else 5 s; false when all are
 * settled.
 */
export function pollInterval(items: readonly Pick<MediaItem, 'status' | 'updated_at'>[]): number | false {
  const open = items.filter(isUnderWay);
  if (open.length === 0) return false;
  const latestChange = Math.max(...open.map((item) => Date.parse(item.updated_at)));
  return Date.now() - latestChange < 30_000 ? 1000 : 5000;
}
