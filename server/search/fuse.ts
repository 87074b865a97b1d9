import { findChunks } from '../catalog/chunks.ts';
import { passesFilter } from '../catalog/media-filter.ts';
import type { EmbedderTraits } from '../models/embedder.ts';
import { type Background, backgroundOf, isMoreThanChance, relevance, standardScore, weakScore } from './calibration.ts';
import { findExcluded } from './exclude.ts';
import type { EngineHit } from './hits.ts';
import type { Candidates } from './retrieve.ts';
import type { SearchContext } from './search-context.ts';
import type { TextMatch } from './text-search.ts';

/** Additional hits read from the catalog, in case some were just deleted. */
const spareHits = 10;

/**
 * Joins the evidence of vectors and texts into hits by falling score, without what the query excludes.
 * @param wanted how many hits are wanted; a few more are returned
 */
export async function fuseCandidates(
  context: SearchContext,
  { neighbors, texts }: Candidates,
  wanted: number,
): Promise<EngineHit[]> {
  const { db, index, filter, vector } = context;
  const { workspaceId, vectors, embedder } = index;
  const similarities = new Map(neighbors.map(({ number, similarity }) => [number, similarity]));
  if (vector) {
    // A chunk that was found only by its text has an image as well.
    const textOnly = [...texts.keys()].filter((number) => !similarities.has(number));
    const [compared = []] = await vectors.compare([vector], textOnly);
    for (const { number, similarity } of compared) similarities.set(number, similarity);
  }
  const background = vector ? await backgroundOf(vectors, vector, embedder) : null;
  const weakBelow = background
    ? leastScore(embedder, background, Math.max(...similarities.values()))
    : embedder.weakBelow;
  const numbers = [...new Set([...similarities.keys(), ...texts.keys()])];
  const excluded = await findExcluded(context, numbers);
  const fused = numbers
    .filter((number) => !excluded.has(number))
    .map((number) => {
      const similarity = similarities.get(number);
      const visual =
        background === null || similarity === undefined
          ? null
          : { similarity, score: standardScore(similarity, background) };
      return { number, ...fuse(visual, texts.get(number), weakBelow) };
    })
    // Equal scores: the newer chunk first, so that the order is stable.
    .toSorted((a, b) => b.score - a.score || b.number - a.number)
    .slice(0, wanted + spareHits);
  const read = fused.map(({ number }) => number);
  const chunks = new Map((await findChunks(db, workspaceId, read)).map((chunk) => [chunk.number, chunk]));
  return fused.flatMap(({ number, ...hit }) => {
    const chunk = chunks.get(number);
    return chunk && passesFilter(chunk, filter) ? [{ chunk, ...hit }] : [];
  });
}

/** The standard score below which hits are weak: all of them where even the best similarity is no more than chance brings. */
const leastScore = (embedder: EmbedderTraits, background: Background, best: number): number =>
  isMoreThanChance(best, background, embedder.chanceMargin) ? weakScore(embedder.weakBelow, background) : Infinity;

/**
 * The most that the visual part contributes: less than a text that holds every word. Measured (`bench/fusion.ts`): from 0.8
 * down to 0.6 texts and images together find more than either alone; at 1, merely similar images hide matching texts.
 * @public for the benchmarks, which are no part of the product
 */
export const imageWeight = 0.7;

/** A text with less coverage of a query than this is not enough for a hit. */
const minCoverage = 1 / 3;

/**
 * One score from both parts, as independent evidence: 1 - (1 - visual)(1 - text), so that a hit which both find ranks
 * above one that either finds equally well.
 */
function fuse(
  visual: { similarity: number; score: number } | null,
  text: TextMatch | undefined,
  weakBelow: number,
): Omit<EngineHit, 'chunk'> {
  const visualEvidence = visual ? relevance(visual.score) : 0;
  // A text that holds every word of the query is almost certainly relevant; BM25 orders texts of equal coverage.
  const textEvidence = text ? text.coverage * (0.85 + 0.1 * (text.relevance / (1 + text.relevance))) : 0;
  return {
    score: 1 - (1 - imageWeight * visualEvidence) * (1 - textEvidence),
    weak: (text?.coverage ?? 0) < minCoverage && (visual?.score ?? 0) < weakBelow,
    signals: {
      ...(visual ? { visual: visual.similarity } : {}),
      ...(text ? { text: text.relevance, terms: text.terms } : {}),
    },
  };
}
