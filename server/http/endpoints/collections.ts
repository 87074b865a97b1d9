import { smallPoster } from '@media-search/media/picture-sizes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Collection } from '../../../contract/item-groups.ts';
import { operations } from '../../../contract/operations.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import {
  changeMembers,
  type CollectionRow,
  createGroup,
  deleteGroup,
  findGroup,
  listGroups,
  readCovers,
  renameGroup,
} from '../../catalog/labels/item-groups.ts';
import { alreadyExistsError, countLimitError, notFoundError } from '../../errors/api-error.ts';
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
  const covers = await readCovers(
    db,
    request.workspaceId,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, name, media_count, created_at, updated_at }) => ({
    id,
    name,
    media_count,
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
      const row = await createGroup(transaction, 'collections', input.workspaceId, input.body.name);
      if (row === 'taken') throw alreadyExistsError('collection', input.body.name);
      if (row === 'full') throw countLimitError('collections');
      return toCollection({ ...dependencies, db: transaction }, input.request, row);
    }),
  );

  serveOperation(app, operations.renameCollection, async ({ workspaceId, params, body, request }) => {
    const row = await renameGroup(dependencies.db, 'collections', workspaceId, params.id, body.name);
    if (!row) throw notFoundError('collection');
    if (row === 'taken') throw alreadyExistsError('collection', body.name);
    return { data: await toCollection(dependencies, request, row) };
  });
}
