import { deduplicate, type Distinct, type Span } from '@media-search/search-engine/ranking/deduplicate';
import type { HitOptions } from '@media-search/search-engine/ranking/search-tasks';
import { dot } from '@media-search/search-engine/vectors';
import { findChunks } from '../../catalog/media/chunks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { OpenSpace } from './vector-space.ts';

/**
 * Keeps the first of some chunks that show the same event; without `dedupe` only of those that are copies of one another. Chunks that were deleted
 * meanwhile are left out.
 * @param numbers the best first
 * @param saysMore whether the chunk at the second place says something that the one at the first does not
 * @returns places among `numbers`
 */
export async function findDistinctChunks(
  db: Catalog,
  workspaceId: string,
  space: OpenSpace,
  numbers: number[],
  { count, dedupe }: HitOptions,
  saysMore: (kept: number, other: number) => boolean = () => false,
): Promise<Distinct[]> {
  const [chunks, vectors, thresholds] = await Promise.all([
    findChunks(db, workspaceId, numbers),
    space.readVectors(numbers),
    space.readThresholds(),
  ]);
  const found = new Map(chunks.map((chunk) => [chunk.number, chunk]));
  const items = new Map([...new Set(chunks.map(({ media_id }) => media_id))].map((id, i) => [id, i]));
  const places: number[] = [];
  const spans: Span[] = [];
  for (const [place, number] of numbers.entries()) {
    const chunk = found.get(number);
    if (!chunk) continue;
    places.push(place);
    spans.push({
      slot: number,
      item: items.get(chunk.media_id) as number,
      start: chunk.start_time,
      end: chunk.end_time,
    });
  }
  const compare = (number: number, others: number[]): number[] => {
    const vector = vectors.get(number);
    return others.map((other) => {
      const otherVector = vectors.get(other);
      return vector && otherVector ? dot(vector, otherVector) : Number.NaN;
    });
  };
  const placeOf = (i: number) => places[i] as number;
  const distinct = deduplicate(
    spans,
    compare,
    (kept, other) => saysMore(placeOf(kept), placeOf(other)),
    dedupe ? thresholds : { ...thresholds, continuation: Infinity },
    count,
  );
  return distinct.map(({ place, duplicates }) => ({ place: placeOf(place), duplicates: duplicates.map(placeOf) }));
}
