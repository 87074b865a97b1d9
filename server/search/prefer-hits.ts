import { evidenceOf, scoreOf } from '@media-search/search-engine/ranking/fuse';
import type { MediaFilter } from '../../contract/filters.ts';
import { listPassing } from '../catalog/media/filtered-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { EngineHit } from './hits.ts';

/** How much of what a hit lacks to be certain it gains by all preferences: it passes those that are about as good, and no better ones. */
const mostGained = 0.1;

/**
 * Puts hits that pass filters which they need not pass before others that are about as good.
 * @param preferred a hit counts by the share of them that its item passes
 * @returns all hits by descending score
 */
export async function preferHits(
  db: Catalog,
  workspaceId: string,
  hits: EngineHit[],
  preferred: MediaFilter[],
): Promise<EngineHit[]> {
  if (preferred.length === 0 || hits.length === 0) return hits;
  const items = [...new Set(hits.map(({ chunk }) => chunk.media_id))];
  const passing = await Promise.all(preferred.map((filter) => listPassing(db, workspaceId, items, filter)));
  return hits
    .map((hit) => {
      const share = passing.filter((ids) => ids.has(hit.chunk.media_id)).length / passing.length;
      const evidence = 1 - (1 - evidenceOf(hit.score, hit.weak)) * (1 - mostGained * share);
      return share === 0 ? hit : { ...hit, score: scoreOf(evidence, hit.weak) };
    })
    .toSorted((a, b) => b.score - a.score);
}
