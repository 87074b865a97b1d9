import type { FastifyRequest } from 'fastify';
import type { AssetStore } from '../assets/asset-store.ts';
import type { QueryEmbedder } from '../embedding/text-embedding.ts';
import type { VisionModel } from '../models/vision-model.ts';
import type { QueryPool } from '../query-workers/query-pool.ts';
import type { MediaSpan } from '../query-workers/query-tasks.ts';
import { reorder, rerankDepth } from '../search/rerank.ts';
import type { EngineHit, SearchEngine } from '../search/search-engine.ts';

/** How long a second look may take; what it has not seen by then keeps its place. */
const secondLookMs = 8000;

type Found = { hits: EngineHit[]; vector: Float32Array | null; embedder: QueryEmbedder };

/**
 * Looks at the best hits again: by the vision-language model when there is one, or else closer by the embedder.
 * @returns hits in a new order; or, in a sentence, why there was no second look. A failure is never an error of the search.
 */
export async function lookAgain(
  parts: { assets: AssetStore; search: SearchEngine; queryPool: QueryPool; visionModel: VisionModel | null },
  { request, signal: given }: { request: FastifyRequest; signal: AbortSignal },
  sentence: string,
  found: Found,
): Promise<EngineHit[] | string> {
  const { hits, vector } = found;
  const { search, visionModel, queryPool } = parts;
  if (!vector && !visionModel) return 'Not re-ranked: no word of the query has a visual meaning for the embedder.';
  if (hits.length === 0) return hits;
  const { workspaceId } = request;
  const judged = hits.slice(0, rerankDepth);
  const spans = judged.map((hit) => spanOf(parts.assets, workspaceId, hit));
  try {
    const signal = AbortSignal.any([given, AbortSignal.timeout(secondLookMs)]);
    if (visionModel) {
      const keys = judged.map(({ chunk }) => chunk.id);
      const unseen = spans.filter((_, i) => !visionModel.knows(sentence, keys[i] as string));
      const frames = unseen.length > 0 ? await queryPool.run({ kind: 'frames', spans: unseen }, signal) : [];
      const framesOf = new Map(unseen.map((span, i) => [span, frames[i] ?? []]));
      const questions = spans.map((span, i) => {
        const shown = framesOf.get(span);
        return shown?.length === 0 ? null : { key: keys[i] as string, frames: shown ?? [] };
      });
      return reorder(hits, await visionModel.judge(sentence, questions, signal));
    }
    const task = {
      kind: 'verify' as const,
      query: Array.from(vector as Float32Array),
      spans,
      embedder: found.embedder.reference,
    };
    const similarities = await queryPool.run(task, signal);
    const toVerdict = await search.relevanceOf(workspaceId, vector as Float32Array);
    return reorder(
      hits,
      similarities.map((similarity) => (similarity === null ? null : toVerdict(similarity))),
    );
  } catch (error) {
    request.log.warn({ err: error }, 'not re-ranked');
    return 'Not re-ranked: the second look at the hits took too long or could not be had.';
  }
}

function spanOf(assets: AssetStore, workspaceId: string, { chunk }: EngineHit): MediaSpan {
  const { rendition_file, type, mime_type, start_time, end_time } = chunk;
  return {
    path: assets.playedOf({ workspace_id: workspaceId, id: chunk.media_id }, rendition_file),
    type,
    mimeType: rendition_file && type === 'image' ? 'image/webp' : mime_type,
    start: start_time,
    end: end_time,
  };
}
