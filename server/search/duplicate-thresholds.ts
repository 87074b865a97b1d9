import { findChunks } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import { calibrateDuplicates } from './calibration.ts';
import type { DuplicateThresholds } from './deduplicate.ts';
import { dot, type VectorIndex } from './vector-index.ts';

type Sampled = { number: number; vector: Float32Array };

/** Chunks that are compared with each other: one of each item, of few items more of each, and of many items so many at most. */
const minChunks = 40;
const maxChunks = 140;

/**
 * Calibrates what counts as near-duplicates in a workspace, for a model that was not measured beforehand, by how alike the chunks of
 * different items are. A film with many like chunks counts as one item, or its pairs would pass for ordinary ones.
 */
export function createThresholdReader(
  db: Catalog,
  workspaceId: string,
  index: VectorIndex,
  expected: DuplicateThresholds,
) {
  let known: { size: number; thresholds: DuplicateThresholds } | undefined;

  return async function readThresholds(): Promise<DuplicateThresholds> {
    const size = index.size();
    // Some chunks more or less change nothing.
    if (known && Math.abs(size - known.size) <= known.size / 10) return known.thresholds;
    const sample = index.sample();
    const numbers = sample.map(({ number }) => number);
    const chunks = await findChunks(db, workspaceId, numbers, {});
    const itemOf = new Map(chunks.map(({ number, media_id }) => [number, media_id]));
    const thresholds = calibrateDuplicates(comparePairs(spreadOverItems(sample, itemOf)), expected);
    known = { size, thresholds };
    return thresholds;
  };
}

/** One chunk of each item, then another one of each, until there are enough. */
function spreadOverItems(sample: readonly Sampled[], itemOf: Map<number, string>): Sampled[] {
  const items = new Map<string, Sampled[]>();
  for (const entry of sample) {
    const item = itemOf.get(entry.number);
    if (item !== undefined) items.set(item, [...(items.get(item) ?? []), entry]);
  }
  const chosen: Sampled[] = [];
  for (let round = 0; chosen.length < minChunks; round++) {
    const next = [...items.values()].flatMap((entries) => entries[round] ?? []);
    if (next.length === 0) break;
    chosen.push(...next);
  }
  return chosen.slice(0, maxChunks);
}

/** The cosine of each pair. */
const comparePairs = (chunks: Sampled[]): number[] =>
  chunks.flatMap((one, i) => chunks.slice(i + 1).map((other) => dot(one.vector, other.vector)));
