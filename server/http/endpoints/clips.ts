import type { FastifyRequest } from 'fastify';
import type { Clip } from '../../../contract/highlights.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import type { FoundChunk } from '../../catalog/media/chunks.ts';
import { readSourcePlaces } from '../../catalog/sources/sources.ts';
import { playedAsset, toItemSource } from '../../sources/show-source.ts';
import type { Dependencies } from '../dependencies.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { createPictures } from './pictures.ts';

/** Returns the function that shows chunks as the API does, with signed URLs for one client. */
export async function createClips(
  { db, secrets, publicUrl }: Pick<Dependencies, 'db' | 'secrets' | 'publicUrl'>,
  request: Pick<FastifyRequest, 'workspaceId' | 'protocol' | 'host' | 'headers'>,
): Promise<(chunk: FoundChunk) => Clip> {
  const { workspaceId } = request;
  const baseUrl = getBaseUrl(request, publicUrl);
  const pictures = createPictures(secrets, baseUrl);
  const places = await readSourcePlaces(db, workspaceId);
  return (chunk) => {
    const { media_id: id, type, width, height, renditions_token, thumbnail_file: thumbnail } = chunk;
    const owner = { workspace_id: workspaceId, id, type, width, height, renditions_token };
    const thumbnails = pictures.sizesOf(owner, thumbnail);
    const source = toItemSource(places, chunk);
    const played = playedAsset({ ...chunk, poster_file: thumbnail }, source?.offline ?? false);
    return {
      id,
      filename: chunk.filename,
      start: chunk.start_time,
      end: chunk.end_time,
      url: signAssetUrl(secrets, baseUrl, owner, played),
      // The largest size is the thumbnail itself.
      thumbnail: thumbnails.at(-1)?.url ?? pictures.urlOf(owner, thumbnail),
      type,
      chunk_id: chunk.id,
      creator_id: chunk.creator_id,
      category_id: chunk.category_id,
      thumbnails,
      source,
    };
  };
}
