import type { MediaFilter } from '../../contract/filters.ts';
import { findChunks, readTextsOfChunks } from '../catalog/chunks.ts';
import { passesFilter } from '../catalog/media-filter.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { EngineHit } from './hits.ts';
import type { RankedHit } from './ranking/search-tasks.ts';
import { cutExcerpt } from './text/cut-excerpt.ts';
import type { Correction } from './text/search-texts.ts';
import type { TextQuery } from './text/text-query.ts';

/** Reads what hits show from the catalog. Those that were deleted or no longer pass the filter are left out. */
export async function hydrate(
  db: Catalog,
  workspaceId: string,
  ranked: RankedHit[],
  { filter, count }: { filter: MediaFilter; count: number },
): Promise<EngineHit[]> {
  const numbers = ranked.flatMap(({ number, duplicates = [] }) => [number, ...duplicates]);
  const chunks = new Map((await findChunks(db, workspaceId, numbers)).map((chunk) => [chunk.number, chunk]));
  const hits = ranked.flatMap(({ number, score, weak, visual, text, duplicates }): EngineHit[] => {
    const chunk = chunks.get(number);
    if (!chunk || !passesFilter(chunk, filter)) return [];
    return [
      {
        chunk,
        score,
        weak,
        signals: {
          ...(visual === undefined ? {} : { visual }),
          ...(text ? { text: text.relevance, terms: text.terms } : {}),
        },
        ...(duplicates ? { duplicates: duplicates.flatMap((other) => chunks.get(other) ?? []) } : {}),
      },
    ];
  });
  return hits.slice(0, count);
}

/** Adds the passages that matched to the hits found by their texts. */
export async function addExcerpts(
  db: Catalog,
  workspaceId: string,
  hits: EngineHit[],
  query: TextQuery,
  corrections: Correction[],
): Promise<EngineHit[]> {
  const found = hits.filter(({ signals }) => signals.terms).map(({ chunk }) => chunk.number);
  if (found.length === 0) return hits;
  const texts = new Map((await readTextsOfChunks(db, workspaceId, found)).map((each) => [each.number, each]));
  return hits.map((hit) => {
    const text = hit.signals.terms && texts.get(hit.chunk.number);
    const excerpt = text && cutExcerpt(text, query, corrections);
    return excerpt ? { ...hit, signals: { ...hit.signals, excerpt } } : hit;
  });
}
