import { backgroundSize, measureBackground, weakScore } from '../ranking/calibration.ts';
import type { ScoreTraits } from '../ranking/score-traits.ts';
import { dotProducts } from './neighbor-graph.ts';

/** Concepts with the vectors of an embedder: unit vectors, one after another. */
export type ConceptVectors = { names: readonly string[]; values: Float32Array };

/** How much each of some moments shows each concept. */
export type ConceptScores = {
  names: readonly string[];
  /** Row by row of the moments: standard deviations above what a picture of anything else has. */
  values: Float32Array;
  /** From which one on a moment clearly shows a concept. */
  clear: number;
};

/** What of an embedder tells how similar a picture and a word are by chance. */
export type ConceptTraits = Pick<ScoreTraits, 'mean' | 'spread' | 'weakBelow' | 'chanceMargins' | 'chance'>;

/**
 * Compares moments with concepts.
 * @param vectors of the moments: unit vectors
 */
export async function scoreConcepts(
  vectors: readonly Float32Array[],
  { names, values: conceptValues }: ConceptVectors,
  traits: ConceptTraits,
): Promise<ConceptScores> {
  const dimensions = vectors[0]?.length ?? 0;
  const moments = new Float32Array(vectors.length * dimensions);
  for (const [row, vector] of vectors.entries()) moments.set(vector, row * dimensions);
  const values = await dotProducts(
    { rows: vectors.length, values: moments },
    { rows: names.length, values: conceptValues },
    dimensions,
  );
  const { centres, deviation } = centresOf(values, vectors.length, names.length, traits);
  for (let at = 0; at < values.length; at++) values[at] = (values[at]! - centres[at % names.length]!) / deviation;
  return { names, values, clear: clearScoreOf(traits) };
}

/** Where the similarities to each concept lie, as of pictures of anything: known of the embedder, or else taken from these. */
function centresOf(
  values: Float32Array,
  rows: number,
  columns: number,
  { mean, spread }: ConceptTraits,
): { centres: Float64Array; deviation: number } {
  const centres = new Float64Array(columns);
  if (mean !== null) return { centres: centres.fill(mean), deviation: spread };
  const step = Math.max(1, Math.ceil(rows / backgroundSize));
  let deviations = 0;
  for (let column = 0; column < columns; column++) {
    const sample: number[] = [];
    for (let row = 0; row < rows; row += step) sample.push(values[row * columns + column]!);
    const background = measureBackground(sample, { mean, deviation: spread });
    centres[column] = background.mean;
    deviations += background.deviation / columns;
  }
  return { centres, deviation: deviations };
}

/**
 * As a search by a word judges its best hit in a large library, however small this one is: among hundreds of words some fit by chance, as some of hundreds of
 * moments do.
 */
const clearScoreOf = ({ weakBelow, chanceMargins, chance }: ConceptTraits): number =>
  chanceMargins === null
    ? Math.max(chance?.score ?? 0, weakScore(weakBelow, { size: backgroundSize }))
    : Math.sqrt(2 * Math.log(backgroundSize)) + chanceMargins.phrase;

/** Concepts that one moment counts for, at most: what it shows, not all that it is a little like. */
const conceptsPerMoment = 3;

/** For each moment the columns of the concepts that it clearly shows, the clearest first. */
export function listClearConcepts({ names, values, clear }: ConceptScores): number[][] {
  const columns = names.length;
  return Array.from({ length: values.length / columns }, (_, row) => {
    const found: number[] = [];
    for (let column = 0; column < columns; column++) if (values[row * columns + column]! >= clear) found.push(column);
    const scoreOf = (column: number) => values[row * columns + column]!;
    return found.toSorted((a, b) => scoreOf(b) - scoreOf(a)).slice(0, conceptsPerMoment);
  });
}

/** A concept that some moments show, and the moment that shows it best: its place among all. */
export type FoundConcept = { name: string; count: number; place: number };

/** From so many moments on one that shows something is not enough to say that it is often found. */
const leastForTwo = 60;
/** A concept is another word for those before it when they were found in this share of its moments. */
const coveredShare = 0.6;

/**
 * The concepts that moments most distinctly show. What many items show comes first, and among those what stands out most from everything that the moments might
 * have shown; another word for the same moments is left out.
 * @param items the item of each moment, so that a long video does not outweigh all others
 */
export function findConcepts(scores: ConceptScores, items: readonly string[], count: number): FoundConcept[] {
  const { names, values } = scores;
  const columns = names.length;
  const means = rowMeans(scores);
  const members = names.map((): number[] => []);
  for (const [row, found] of listClearConcepts(scores).entries())
    for (const column of found) members[column]?.push(row);
  const ranked = members
    .map((rows, column) => {
      const excess = (row: number) => values[row * columns + column]! - means[row]!;
      const best = rows.toSorted((a, b) => excess(b) - excess(a));
      const clearest = best.slice(0, 10);
      const distinctness = clearest.reduce((sum, row) => sum + excess(row), 0) / Math.max(1, clearest.length);
      return { column, rows: best, weight: Math.sqrt(new Set(rows.map((row) => items[row])).size) * distinctness };
    })
    .filter(({ rows }) => rows.length >= (means.length < leastForTwo ? 1 : 2))
    .toSorted((a, b) => b.weight - a.weight);
  const covered = new Set<number>();
  const shown = new Set<number>();
  const chosen: FoundConcept[] = [];
  for (const { column, rows } of ranked) {
    if (chosen.length === count) break;
    if (rows.filter((row) => covered.has(row)).length > coveredShare * rows.length) continue;
    const place = rows.find((row) => !shown.has(row)) ?? rows[0]!;
    shown.add(place);
    for (const row of rows) covered.add(row);
    chosen.push({ name: names[column] as string, count: rows.length, place });
  }
  return chosen;
}

function rowMeans({ names, values }: ConceptScores): Float64Array {
  const means = new Float64Array(values.length / names.length);
  for (let at = 0; at < values.length; at++) means[Math.floor(at / names.length)]! += values[at]! / names.length;
  return means;
}
