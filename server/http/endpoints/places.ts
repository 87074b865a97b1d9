import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import { countFacets } from '../../catalog/media/facets.ts';
import { findLocated, groupPlaces } from '../../catalog/media/place-groups.ts';
import type { Dependencies } from '../dependencies.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { createPictures } from './pictures.ts';

/** What is told of all items of a filter: how many have which value, and where they were recorded. */
export function servePlaces(
  app: FastifyInstance,
  { db, mapTiles, publicUrl, secrets }: Pick<Dependencies, 'db' | 'mapTiles' | 'publicUrl' | 'secrets'>,
): void {
  serveOperation(app, operations.countFacets, async ({ workspaceId, query }) => ({
    data: await countFacets(db, workspaceId, query),
  }));

  serveOperation(app, operations.listPlaces, async ({ workspaceId, query, request }) => {
    const pictures = createPictures(secrets, getBaseUrl(request, publicUrl));
    const groups = await groupPlaces(db, workspaceId, query);
    return {
      data: groups.map(({ cover, ...group }) => ({
        ...group,
        media_id: cover.id,
        filename: cover.filename,
        place: cover.place,
        thumbnail: cover.poster_file === null ? null : (pictures.sizesOf(cover, cover.poster_file)[0]?.url ?? null),
      })),
      meta: { ...(await findLocated(db, workspaceId, query)), tiles: mapTiles },
    };
  });
}
