import type { FastifyBaseLogger } from 'fastify';
import { readChunkVectors } from '../../catalog/media/chunk-vectors.ts';
import type { ClaimedJob } from '../../catalog/queue/job-queue.ts';
import { listComparedChunks, storeCopies } from '../../catalog/reuse/copies.ts';
import { readFingerprints } from '../../catalog/reuse/fingerprints.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { LeaseLostError } from '../../jobs/job-errors.ts';
import { type JobRunner, startJobRunner } from '../../jobs/job-runner.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { findCopies, type FindingCopies, type Footage } from './find-copies.ts';

/** How long a new item waits at most, milliseconds. */
const lookMs = 2000;
const renewMs = 10_000;

type Parts = Pick<FindingCopies, 'queryPool'> & {
  db: Catalog;
  search: FindingCopies['search'] & { getEmbedder: (workspaceId: string) => Promise<QueryEmbedder> };
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** Items that are compared at a time: while frames of one are compared, moments like those of the next are looked up. */
const atOnce = 2;

/** Compares new items with all others: few at a time, workspaces in turn, so that searches of people hardly wait. Each process that answers searches does it. */
export const startFindingCopies = ({ log, ...parts }: Parts): JobRunner =>
  startJobRunner(
    parts.db,
    { kind: 'copies', slots: atOnce, lookMs, renewMs, run: (job, signal) => compareItem(parts, job, signal) },
    log,
  );

async function compareItem(
  { db, search, queryPool }: Omit<Parts, 'log'>,
  job: ClaimedJob<'copies'>,
  signal: AbortSignal,
): Promise<void> {
  const { workspace_id: workspaceId, id: mediaId } = job;
  const embedder = await search.getEmbedder(workspaceId);
  const footage = await readFootage(db, workspaceId, mediaId, embedder.id);
  const finding = { db, search, queryPool, workspaceId, embedder, mediaId, leavesWaiting: true, signal };
  const found = footage ? await findCopies(finding, footage) : { copies: [], left: [] };
  // It is compared again in a while.
  if (found === null) throw new Error('The model has just changed.');
  if (!(await storeCopies(db, job, found))) throw new LeaseLostError();
}

/**
 * What is stored of an item to find it in others.
 * @returns undefined where the item is gone, in the trash or has no fingerprint
 */
export async function readFootage(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
  embedderId: string,
): Promise<Footage | undefined> {
  const [row] = await readFingerprints(db, workspaceId, [mediaId]);
  if (!row) return undefined;
  const chunks = await listComparedChunks(db, workspaceId, mediaId);
  const numbers = chunks.map(({ number }) => number);
  const vectors = await readChunkVectors(db, workspaceId, embedderId, numbers);
  const moments = chunks.flatMap(({ number, start, end }) => {
    const vector = vectors.get(number);
    return vector ? [{ start, end, vector }] : [];
  });
  const { frames, duration, width, height } = row;
  return { fingerprint: frames, moments, duration, width: width ?? 0, height: height ?? 0 };
}
