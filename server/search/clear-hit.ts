import { backgroundSize, clearScore } from '@media-search/search-engine/ranking/calibration';
import { imageScore } from '@media-search/search-engine/ranking/fuse';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import type { EngineHit } from './hits.ts';

/**
 * Whether a hit is clear even where nobody looks at it: by an image alone it stands out more than the best of so many chunks would by chance, or its
 * text holds what is looked for. The page of hits shows less than that, because somebody looks at it; see docs/search.md.
 */
export function isClearHit(
  { weak, score, signals }: EngineHit,
  traits: Pick<QueryEmbedder, 'chanceMargins'>,
  chunkCount: number,
): boolean {
  const clear = clearScore(Math.min(chunkCount, backgroundSize), traits);
  return !weak && (signals.text !== undefined || clear === 0 || score >= imageScore(clear));
}
