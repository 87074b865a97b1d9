import { availableParallelism, constants, setPriority } from 'node:os';
import { decodeImage } from '@media-search/media/decode-image';
import { encodeJpeg, writeSizes } from '@media-search/media/encode-image';
import { limitFfmpegLog } from '@media-search/media/ffmpeg-log';
import { readStill } from '@media-search/media/write-still';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { childOptions, openCatalogAt } from '../../catalog/catalog-location.ts';
import { takeCatalogLocation } from '../../catalog/child-catalog.ts';
import { initializeChildProcess } from '../../platform/processes/child-process.ts';
import { dropPrivileges } from '../../platform/processes/drop-privileges.ts';
import { findChunkConcepts, layOutChunks } from '../highlights/lay-out-chunks.ts';
import { rankFiltered, updateRankings } from '../highlights/rank-chunks.ts';
import { compareFingerprints } from '../reuse/compare-fingerprints.ts';
import { embedMoment, embedImageFile } from './embed-query-image.ts';
import type { MediaSpan, QueryResult, QueryTask, QueryWorkerOptions } from './query-tasks.ts';
import { readFootageOf } from './read-footage.ts';
import { embedViews, readSpan } from './read-span.ts';

/**
 * The process for heavy parts of requests. It is a process of its own because decoders are native code that a hostile file can
 * crash, and because what takes seconds of computing must not keep light requests waiting.
 */

/** The pool ends the process of an aborted task. */
const neverAborted = new AbortController().signal;

initializeChildProcess();
const options = JSON.parse(process.argv.at(-1) ?? '') as QueryWorkerOptions;
dropPrivileges(options.dataDirectory);
const db = await openCatalogAt(takeCatalogLocation(options.dataDirectory), childOptions);
const loadEmbedder = createEmbedderLoader(Math.max(1, availableParallelism() - 1));

limitFfmpegLog();

const handlers: {
  [Kind in QueryTask['kind']]: (task: Extract<QueryTask, { kind: Kind }>) => Promise<QueryResult[Kind]>;
} = {
  image: async ({ path, embedder, words }) => toLists(await embedImageFile(path, await loadEmbedder(embedder), words)),
  moment: async ({ path, at, embedder, words }) =>
    toLists(await embedMoment(path, at, await loadEmbedder(embedder), words)),
  frames: ({ span }) => readFrames(span),
  frame: async ({ source, at, width }) => (await readStill(source, at, width, neverAborted)).toString('base64'),
  views: async ({ span, embedder }) => toLists(await embedViews(span, await loadEmbedder(embedder))),
  outliers: ({ workspaceId, embedderId, filter, method }) => rankFiltered(db, workspaceId, embedderId, filter, method),
  rankings: updateInBackground,
  map: (task) => layOutChunks(db, task),
  footage: async ({ path, embedder }) => readFootageOf(path, await loadEmbedder(embedder)),
  copies: (task) => compareFingerprints(db, task),
  concepts: ({ count, ...task }) => findChunkConcepts(db, task, count),
  async 'scaled photo'({ source, mimeType, sizes }) {
    await writeSizes(await decodeImage(source, mimeType), sizes);
    return null;
  },
};

/** Runs one task; the pool calls it. */
// oxlint-disable-next-line import/no-default-export -- tinypool calls the default export of a worker
export default function run<Kind extends QueryTask['kind']>(
  task: Extract<QueryTask, { kind: Kind }>,
): Promise<QueryResult[Kind]> {
  return handlers[task.kind](task);
}

/** Vectors as they go between processes. */
const toLists = (vectors: Float32Array[]): number[][] => vectors.map((vector) => Array.from(vector));

/** Longest side of what a vision-language model is shown, pixels. */
const maxFrameSide = 512;

async function readFrames(span: MediaSpan): Promise<string[]> {
  const frames: string[] = [];
  for (const { image } of await readSpan(span, maxFrameSide)) {
    frames.push((await encodeJpeg(image)).toString('base64'));
  }
  return frames;
}

/** No request waits for it, so it runs at a lower priority. */
async function updateInBackground({
  workspaceId,
  embedderId,
  file,
}: Extract<QueryTask, { kind: 'rankings' }>): Promise<null> {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  await updateRankings(db, workspaceId, embedderId, file);
  return null;
}
