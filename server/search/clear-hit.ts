import { backgroundSize, clearScore } from '@media-search/search-engine/ranking/calibration';
import { imageScore } from '@media-search/search-engine/ranking/fuse';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import { type EngineHit, isFoundByText } from './hits.ts';

/**
 * Whether a hit is clear even where nobody looks at it: by an image alone it stands out more than the best of so many chunks would by chance, or its
 * text holds what is looked for or clearly means it. The page of hits shows less than that, because somebody looks at it; see docs/search.md.
 */
export function isClearHit(hit: EngineHit, traits: Pick<QueryEmbedder, 'chanceMargins'>, chunkCount: number): boolean {
  const clear = clearScore(Math.min(chunkCount, backgroundSize), traits);
  return !hit.weak && (isFoundByText(hit) || clear === 0 || hit.score >= imageScore(clear));
}
