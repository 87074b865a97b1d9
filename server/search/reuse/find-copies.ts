import type { Candidate } from '@media-search/indexing/reuse/align';
import type { Compared } from '@media-search/indexing/reuse/relate';
import { toUnit } from '@media-search/search-engine/vectors';
import { listChunkNumbers } from '../../catalog/media/chunks.ts';
import { type Copy, listWaiting, readChunkSpans } from '../../catalog/reuse/copies.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { QueryPool } from '../query-workers/query-pool.ts';
import type { SearchEngine } from '../search-engine.ts';

/** What is looked for in the items of a workspace. */
export type Footage = Compared & {
  /** Its fingerprint, as it is stored. */
  fingerprint: Uint8Array;
  /** Its moments with their vectors, seconds. */
  moments: { start: number; end: number; vector: Float32Array }[];
};

export type FindingCopies = {
  db: Catalog;
  search: Pick<SearchEngine, 'findNearest'>;
  queryPool: Pick<QueryPool, 'run'>;
  workspaceId: string;
  embedder: QueryEmbedder;
  /** The item that it is of, which is no copy of itself. */
  mediaId?: string | undefined;
  /** Whether items that wait to be compared themselves are left to that, so that no pair is compared twice. */
  leavesWaiting?: boolean;
  signal: AbortSignal;
};

/** The items that show the same with how they relate to some footage, and those that it was left to to find it. */
export type FoundCopies = { copies: Copy[]; left: string[] };

/** The nearest moments of others that are looked at for each moment. */
const neighbours = 60;
/** Moments whose nearest are asked for at once: searches of people wait for as long in a thread that answers them, some hundredths of a second. */
const batchSize = 64;
/** How far below a copy of the same size a crop, a mirrored picture or another cut of a shot may lie: verified by frames, it costs little to look at too many. */
const candidateMargin = 0.25;
/** Pairs of moments of two items that are looked at, and items that are compared, at most: the most alike. */
const maxCandidates = 16;
const maxItems = 50;

/**
 * Finds the items that show the same footage: the nearest moments of each moment say where to look (diagonals in the similarity of two items), frames whether it is the
 * same.
 * @returns null when another embedder has become active
 */
export async function findCopies(finding: FindingCopies, footage: Footage): Promise<FoundCopies | null> {
  const { db, queryPool, workspaceId, leavesWaiting, signal } = finding;
  const { fingerprint, duration, width, height } = footage;
  const likely = await findCandidates(finding, footage);
  if (!likely) return null;
  const left =
    leavesWaiting === true
      ? await listWaiting(
          db,
          workspaceId,
          likely.map(({ mediaId }) => mediaId),
        )
      : [];
  const candidates = likely.filter(({ mediaId }) => !left.includes(mediaId));
  if (candidates.length === 0) return { copies: [], left };
  const task = {
    kind: 'copies' as const,
    workspaceId,
    fingerprint: Buffer.from(fingerprint).toString('base64'),
    compared: { duration, width, height },
    others: candidates,
  };
  return { copies: await queryPool.run(workspaceId, task, signal), left };
}

type Likeness = Candidate & { similarity: number };

/** Moments of other items that look like those of some footage, the most alike items first. */
async function findCandidates(
  { db, search, workspaceId, embedder, mediaId, signal }: FindingCopies,
  { moments }: Footage,
): Promise<{ mediaId: string; candidates: Candidate[] }[] | null> {
  const least = embedder.duplicateThresholds.copy - candidateMargin;
  const leftOut = mediaId === undefined ? [] : await listChunkNumbers(db, workspaceId, mediaId);
  const byItem = new Map<string, Likeness[]>();
  for (let first = 0; first < moments.length; first += batchSize) {
    signal.throwIfAborted();
    const batch = moments.slice(first, first + batchSize);
    const vectors = batch.map(({ vector }) => toUnit(vector));
    const found = await search.findNearest(workspaceId, embedder, vectors, { count: neighbours, least, leftOut });
    if (!found) return null;
    const numbers = found.flatMap((near) => near.map(({ number }) => number));
    const spans = await readChunkSpans(db, workspaceId, [...new Set(numbers)]);
    for (const [i, { start, end }] of batch.entries()) {
      for (const { number, similarity } of found[i] ?? []) {
        const span = spans.get(number);
        if (!span) continue;
        const likeness = { a: { start, end }, b: { start: span.start, end: span.end }, similarity };
        const known = byItem.get(span.media_id);
        if (known) known.push(likeness);
        else byItem.set(span.media_id, [likeness]);
      }
    }
  }
  for (const likenesses of byItem.values()) likenesses.sort((x, y) => y.similarity - x.similarity);
  return [...byItem]
    .toSorted(([, x], [, y]) => sumOf(y) - sumOf(x))
    .slice(0, maxItems)
    .map(([id, likenesses]) => ({
      mediaId: id,
      candidates: likenesses.slice(0, maxCandidates).map(({ a, b }) => ({ a, b })),
    }));
}

const sumOf = (likenesses: Likeness[]): number => likenesses.reduce((sum, { similarity }) => sum + similarity ** 8, 0);
