import type { MediaItem } from './generated/api/index.ts';

/** Whether an item still has to be indexed before it can be found. */
export const isUnderWay = ({ status }: Pick<MediaItem, 'status'>): boolean =>
  status === 'pending' || status === 'indexing';

/** Whether texts of an item are still being read, behind its being found already. */
export const isReadingText = ({ ocr, speech }: Pick<MediaItem, 'ocr' | 'speech'>): boolean =>
  ocr.state === 'pending' || speech.state === 'pending';

/** A page in the background is not seen, and browsers slow its timers down themselves. */
const hiddenMs = 10_000;

/**
 * Milliseconds until items are asked for again: 1 s while one of those under way changed in the last 30 s or all are new, else 5 s, and 10 s
 * while the page is hidden. Items that are settled are asked for because their texts are still being read, which has time.
 */
export function pollInterval(items: readonly Pick<MediaItem, 'status' | 'updated_at'>[], hidden: boolean): number {
  if (hidden) return hiddenMs;
  const open = items.filter(isUnderWay);
  const latestChange = Math.max(...open.map((item) => Date.parse(item.updated_at)));
  return items.length === 0 || Date.now() - latestChange < 30_000 ? 1000 : 5000;
}
