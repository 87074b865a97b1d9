import type { FastifyRequest } from 'fastify';
import type { Collection } from '../../../../contract/item-groups.ts';
import { signAssetUrl } from '../../../assets/asset-urls.ts';
import { type CollectionRow, readCovers } from '../../../catalog/labels/item-groups.ts';
import type { Dependencies } from '../../dependencies.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';

/** Collections of a workspace as the API shows them, with the signed URLs of their covers. */
export async function toCollections(
  { db, secrets, publicUrl }: Pick<Dependencies, 'db' | 'secrets' | 'publicUrl'>,
  request: FastifyRequest,
  rows: CollectionRow[],
): Promise<Collection[]> {
  const baseUrl = getBaseUrl(request, publicUrl);
  const covers = await readCovers(
    db,
    request.workspaceId,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, name, media_count, created_at, updated_at }) => ({
    id,
    name,
    media_count,
    covers: (covers.get(id) ?? []).map((item) => signAssetUrl(secrets, baseUrl, item, item.poster_file)),
    created_at,
    updated_at,
  }));
}

/** One of them. */
export async function toCollection(
  dependencies: Pick<Dependencies, 'db' | 'secrets' | 'publicUrl'>,
  request: FastifyRequest,
  row: CollectionRow,
): Promise<Collection> {
  const [collection] = await toCollections(dependencies, request, [row]);
  return collection as Collection;
}
