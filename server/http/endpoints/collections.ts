import { smallPoster } from '@media-search/media/picture-sizes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Collection } from '../../../contract/item-groups.ts';
import { operations } from '../../../contract/operations.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import { readCovers } from '../../catalog/labels/covers.ts';
import {
  changeMembers,
  type CollectionRow,
  createGroup,
  deleteGroup,
  findGroup,
  listGroups,
  updateCollection,
} from '../../catalog/labels/item-groups.ts';
import { moveMembers } from '../../catalog/labels/member-order.ts';
import { alreadyExistsError, countLimitError, notFoundError, validationError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOnce } from '../operations/idempotency.ts';
import { serveDeletion, serveNamed } from '../operations/serve-named.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';

/** Collections of a workspace as the API shows them, with the signed URLs of their covers. */
async function toCollections(
  { db, secrets, publicUrl }: Pick<Dependencies, 'db' | 'secrets' | 'publicUrl'>,
  request: FastifyRequest,
  rows: CollectionRow[],
): Promise<Collection[]> {
  const baseUrl = getBaseUrl(request, publicUrl);
  const covers = await readCovers(db, request.workspaceId, rows);
  return rows.map(({ id, name, description, media_count, cover_id, created_at, updated_at }) => ({
    id,
    name,
    description,
    media_count,
    // It may have left the collection since.
    cover_id: covers.get(id)?.some((item) => item.id === cover_id) ? cover_id : null,
    covers: (covers.get(id) ?? []).map((item) => signAssetUrl(secrets, baseUrl, item, smallPoster(item.poster_file))),
    created_at,
    updated_at,
  }));
}

/** One of them. */
async function toCollection(
  dependencies: Pick<Dependencies, 'db' | 'secrets' | 'publicUrl'>,
  request: FastifyRequest,
  row: CollectionRow,
): Promise<Collection> {
  const [collection] = await toCollections(dependencies, request, [row]);
  return collection as Collection;
}

/** The operations on collections. */
export function serveCollections(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveNamed(
    app,
    { list: operations.listCollections, get: operations.getCollection },
    {
      noun: 'collection',
      list: (workspaceId, query) => listGroups(db, 'collections', workspaceId, query),
      find: (workspaceId, id) => findGroup(db, 'collections', workspaceId, id),
      show: (rows, request) => toCollections(dependencies, request, rows),
    },
  );

  serveDeletion(app, operations.deleteCollection, 'collection', (workspaceId, id) =>
    deleteGroup(db, 'collections', workspaceId, id),
  );

  serveOperation(app, operations.changeCollectionItems, async ({ workspaceId, params, body }) => {
    const changed = await changeMembers(db, 'collections', workspaceId, params.id, body);
    if (!changed) throw notFoundError('collection');
    return { data: changed };
  });

  serveOperation(app, operations.createCollection, (input) =>
    createOnce(dependencies, operations.createCollection, input, async (transaction) => {
      const row = await createGroup(
        transaction,
        'collections',
        input.workspaceId,
        input.body.name,
        input.body.description,
      );
      if (row === 'taken') throw alreadyExistsError('collection', input.body.name);
      if (row === 'full') throw countLimitError('collections');
      return toCollection({ ...dependencies, db: transaction }, input.request, row);
    }),
  );

  serveOperation(app, operations.orderCollection, async ({ workspaceId, params, body }) => {
    const moved = await moveMembers(db, workspaceId, params.id, body);
    if (!moved) throw notFoundError('collection');
    if ('unknown' in moved)
      throw validationError([
        { path: `body.moves.${moved.unknown}.before_id`, message: 'names no item of this collection that stays' },
      ]);
    return { data: moved };
  });

  serveOperation(app, operations.updateCollection, async ({ workspaceId, params, body, request }) => {
    const row = await updateCollection(db, workspaceId, params.id, body);
    if (!row) throw notFoundError('collection');
    if (row === 'taken') throw alreadyExistsError('collection', body.name ?? '');
    if (row === 'not in it')
      throw validationError([{ path: 'body.cover_id', message: 'names no item of this collection' }]);
    return { data: await toCollection(dependencies, request, row) };
  });
}
