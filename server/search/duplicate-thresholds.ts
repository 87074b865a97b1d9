import { findChunks } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { EmbedderTraits } from '../models/embedder.ts';
import { calibrateDuplicates } from './calibration.ts';
import type { DuplicateThresholds } from './deduplicate.ts';
import type { VectorIndex } from './vector-index.ts';

/** How many chunks are compared with each other: one of each item; with few items several of each; at most so many. */
const minChunks = 40;
const maxChunks = 140;

/**
 * Gives the thresholds of near-duplicates in a workspace. For an embedder that was not measured beforehand they are calibrated by how similar
 * the chunks of different items are. A film with many similar chunks counts as one item; otherwise its pairs would count as ordinary ones.
 */
export function createThresholdReader(
  db: Catalog,
  workspaceId: string,
  vectors: VectorIndex,
  embedder: Pick<EmbedderTraits, 'duplicateThresholds' | 'hasMeasuredThresholds'>,
) {
  let calibrated: { size: number; thresholds: DuplicateThresholds } | undefined;

  return async function readThresholds(): Promise<DuplicateThresholds> {
    if (embedder.hasMeasuredThresholds) return embedder.duplicateThresholds;
    const size = await vectors.size();
    // A few chunks more or less make no difference.
    if (calibrated && Math.abs(size - calibrated.size) <= calibrated.size / 10) return calibrated.thresholds;
    const sample = await vectors.sample();
    const chunks = await findChunks(db, workspaceId, sample);
    const itemOf = new Map(chunks.map(({ number, media_id }) => [number, media_id]));
    const cosines = await comparePairs(vectors, spreadOverItems(sample, itemOf));
    const thresholds = calibrateDuplicates(cosines, embedder.duplicateThresholds);
    calibrated = { size, thresholds };
    return thresholds;
  };
}

/** One chunk of each item, then another one of each, until there are enough. */
function spreadOverItems(sample: number[], itemOf: Map<number, string>): number[] {
  const items = new Map<string, number[]>();
  for (const number of sample) {
    const item = itemOf.get(number);
    if (item !== undefined) items.set(item, [...(items.get(item) ?? []), number]);
  }
  const chosen: number[] = [];
  for (let round = 0; chosen.length < minChunks; round++) {
    const next = [...items.values()].flatMap((numbers) => numbers[round] ?? []);
    if (next.length === 0) break;
    chosen.push(...next);
  }
  return chosen.slice(0, maxChunks);
}

/** The cosine of each pair. */
async function comparePairs(vectors: VectorIndex, numbers: number[]): Promise<number[]> {
  const similarity = await vectors.pairs(numbers);
  return numbers.flatMap((one, i) => numbers.slice(i + 1).flatMap((other) => similarity(one, other) ?? []));
}
