import type { SearchTask } from './search-tasks.ts';

/** Additional hits, in case the catalog says that some were just deleted. */
export const spareHits = 10;
/** The search for distinct hits ends at this depth: deeper candidates are not relevant. */
const maxDepth = 5000;

/** How many candidates are read of each part. */
export type Depth = { visual: number; text: number };

/** The candidates of which a search takes its hits at first. */
export function firstDepth({ options: { count, dedupe }, text }: Pick<SearchTask, 'options' | 'text'>): Depth {
  const ofTexts = Math.max(100, 5 * count);
  // Some of the candidates will be dropped, or hold a part of the words. Otherwise what has no text is among the hits only if it is among the nearest
  // so many.
  const isMany = dedupe || text.excluded.length > 0 || text.terms.length > 1;
  return { visual: isMany ? ofTexts : count + spareHits, text: ofTexts };
}

/** The depth at which a search looks again that found too few hits; null where deeper candidates would not be relevant. */
export const deeper = ({ visual, text }: Depth): Depth | null =>
  visual > maxDepth ? null : { visual: 4 * visual, text: 4 * text };
