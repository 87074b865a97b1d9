import type { MediaFilter } from '../../contract/filters.ts';
import { findChunksWithTexts } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { EngineHit } from './hits.ts';
import type { RankedHit } from './ranking/search-tasks.ts';
import { cutExcerpt } from './text/cut-excerpt.ts';
import type { Correction } from './text/search-texts.ts';
import type { TextQuery } from './text/text-query.ts';

type Options = { filter: MediaFilter; count: number; text: TextQuery; corrections: Correction[] };

/**
 * Reads what the first hits show from the catalog, with the passages that matched. Those that were deleted or no longer pass the filter at this moment
 * are left out, and the next ones take their places.
 * @returns `isStale`: some were deleted, or indexed again under other numbers, since they were ranked
 */
export async function hydrate(
  db: Catalog,
  workspaceId: string,
  ranked: RankedHit[],
  options: Options,
): Promise<{ hits: EngineHit[]; isStale: boolean }> {
  const hits: EngineHit[] = [];
  let place = 0;
  while (place < ranked.length && hits.length < options.count) {
    const next = ranked.slice(place, place + options.count - hits.length);
    hits.push(...(await readHits(db, workspaceId, next, options)));
    place += next.length;
  }
  return { hits, isStale: hits.length < place };
}

async function readHits(
  db: Catalog,
  workspaceId: string,
  ranked: RankedHit[],
  { filter, text: query, corrections }: Options,
): Promise<EngineHit[]> {
  const numbers = ranked.flatMap(({ number, duplicates = [] }) => [number, ...duplicates]);
  const rows = await findChunksWithTexts(db, workspaceId, numbers, filter);
  const chunks = new Map(rows.map((row) => [row.chunk.number, row]));
  return ranked.flatMap(({ number, score, weak, visual, text, duplicates }): EngineHit[] => {
    const found = chunks.get(number);
    if (!found) return [];
    const excerpt = text && cutExcerpt(found.texts, query, corrections);
    const signals = {
      ...(visual === undefined ? {} : { visual }),
      ...(text ? { text: text.relevance, terms: text.terms } : {}),
      ...(excerpt ? { excerpt } : {}),
    };
    const others = duplicates?.flatMap((other) => chunks.get(other)?.chunk ?? []);
    return [{ chunk: found.chunk, score, weak, signals, ...(others ? { duplicates: others } : {}) }];
  });
}
