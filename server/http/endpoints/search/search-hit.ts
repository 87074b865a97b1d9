import type { Clip, SearchHit } from '../../../../contract/search.ts';
import { originalAsset, signAssetUrl } from '../../../assets/asset-urls.ts';
import type { FoundChunk } from '../../../catalog/media/chunks.ts';
import type { Secrets } from '../../../platform/crypto/secrets.ts';
import type { EngineHit } from '../../../search/hits.ts';

/** A chunk as the API shows it, with signed URLs. */
export function toClip(chunk: FoundChunk, workspaceId: string, secrets: Secrets, baseUrl: string): Clip {
  const owner = { workspace_id: workspaceId, id: chunk.media_id };
  return {
    id: chunk.media_id,
    filename: chunk.filename,
    start: chunk.start_time,
    end: chunk.end_time,
    url: signAssetUrl(secrets, baseUrl, owner, chunk.rendition_file ?? originalAsset),
    thumbnail: signAssetUrl(secrets, baseUrl, owner, chunk.thumbnail_file),
    type: chunk.type,
    chunk_id: chunk.id,
    creator_id: chunk.creator_id,
    category_id: chunk.category_id,
  };
}

/** A hit of a search as the API shows it. */
export function toSearchHit(hit: EngineHit, workspaceId: string, secrets: Secrets, baseUrl: string): SearchHit {
  const { chunk, score, signals, weak, duplicates } = hit;
  const { id, filename, ...clip } = toClip(chunk, workspaceId, secrets, baseUrl);
  return {
    id,
    filename,
    score,
    ...clip,
    signals,
    weak,
    ...(duplicates
      ? {
          duplicates: duplicates.map(({ media_id, id, start_time, end_time }) => ({
            id: media_id,
            chunk_id: id,
            start: start_time,
            end: end_time,
          })),
        }
      : {}),
  };
}
