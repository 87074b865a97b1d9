import type { FastifyInstance } from 'fastify';
import type { SearchHit } from '../../contract/search.ts';
import { originalAsset, signAssetUrl } from '../assets/asset-urls.ts';
import type { Embedder } from '../models/embedder.ts';
import type { EngineHit, SearchEngine } from '../search/search-engine.ts';
import type { Secrets } from '../secrets.ts';
import { baseUrlOf } from './base-url.ts';
import { serveOperation } from './operation-routes.ts';

export type SearchRouteParts = {
  search: SearchEngine;
  embedder: Embedder;
  secrets: Secrets;
  publicUrl: string | null;
  /** Told after each answered search, for the workspace's usage. */
  onSearched: (workspaceId: string) => void;
};

/** `GET /media/search`. */
export function serveSearch(app: FastifyInstance, parts: SearchRouteParts): void {
  const { search, embedder, secrets, publicUrl, onSearched } = parts;
  serveOperation(app, 'searchMedia', async ({ workspaceId, query, request }) => {
    const began = performance.now();
    const { hits, unknown } = await search.searchByText(workspaceId, query.q, query, query.n);
    const baseUrl = baseUrlOf(request, publicUrl);
    const data = hits.map((hit) => toSearchHit(hit, workspaceId, secrets, baseUrl));
    onSearched(workspaceId);
    const notice = noticeOf(unknown, query, embedder);
    return {
      data,
      meta: {
        query: query.q,
        n: query.n,
        took_ms: Math.round((performance.now() - began) * 100) / 100,
        embedder: embedder.id,
        reranked: false,
        ...(notice ? { notice } : {}),
      },
    };
  });
}

function toSearchHit(hit: EngineHit, workspaceId: string, secrets: Secrets, baseUrl: string): SearchHit {
  const { chunk, score, signals, weak } = hit;
  const owner = { workspace_id: workspaceId, id: chunk.media_id };
  return {
    id: chunk.media_id,
    filename: chunk.filename,
    score,
    start: chunk.start_time,
    end: chunk.end_time,
    url: signAssetUrl(secrets, baseUrl, owner, chunk.rendition_file ?? originalAsset),
    thumbnail: signAssetUrl(secrets, baseUrl, owner, chunk.thumbnail_file),
    type: chunk.type,
    chunk_id: chunk.id,
    creator_id: chunk.creator_id,
    category_id: chunk.category_id,
    signals,
    weak,
  };
}

/** What was asked for and could not be done, in one or more sentences; undefined when there is nothing to say. */
function noticeOf(
  unknown: string[],
  asked: { dedupe: boolean; rerank: boolean },
  embedder: Embedder,
): string | undefined {
  const sentences: string[] = [];
  if (unknown.length > 0) {
    const words = unknown.map((word) => `“${word}”`).join(', ');
    const model =
      embedder.kind === 'builtin' ? 'The built-in embedder knows colours, light, texture and motion' : 'The embedder';
    sentences.push(`${model}; it gives no visual meaning to ${words}, searched as text only.`);
  }
  if (asked.rerank) sentences.push('Re-ranking is not available on this service yet.');
  if (asked.dedupe) sentences.push('Near-duplicates cannot be dropped on this service yet.');
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
