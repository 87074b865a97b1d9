import type { FastifyInstance } from 'fastify';
import type { Tag } from '../../../contract/item-groups.ts';
import { operations } from '../../../contract/operations.ts';
import {
  changeMembers,
  createGroup,
  deleteGroup,
  findGroup,
  type GroupRow,
  listGroups,
  mergeTag,
  renameGroup,
} from '../../catalog/labels/item-groups.ts';
import { alreadyExistsError, countLimitError, notFoundError, validationError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOnce } from '../operations/idempotency.ts';
import { serveDeletion, serveNamed } from '../operations/serve-named.ts';
import { serveOperation } from '../operations/serve-operation.ts';

/** A tag as the API shows it. */
const toTag = ({ id, name, media_count, created_at }: GroupRow): Tag => ({ id, name, media_count, created_at });

/** The operations on tags. */
export function serveTags(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveNamed(
    app,
    { list: operations.listTags, get: operations.getTag },
    {
      noun: 'tag',
      list: (workspaceId, query) => listGroups(db, 'tags', workspaceId, query),
      find: (workspaceId, id) => findGroup(db, 'tags', workspaceId, id),
      show: (rows) => rows.map(toTag),
    },
  );

  serveDeletion(app, operations.deleteTag, 'tag', (workspaceId, id) => deleteGroup(db, 'tags', workspaceId, id));

  serveOperation(app, operations.changeTagItems, async ({ workspaceId, params, body }) => {
    const changed = await changeMembers(db, 'tags', workspaceId, params.id, body);
    if (!changed) throw notFoundError('tag');
    return { data: changed };
  });

  serveOperation(app, operations.createTag, (input) =>
    createOnce(dependencies, operations.createTag, input, async (transaction) => {
      const row = await createGroup(transaction, 'tags', input.workspaceId, input.body.name);
      if (row === 'taken') throw alreadyExistsError('tag', input.body.name);
      if (row === 'full') throw countLimitError('tags');
      return toTag(row);
    }),
  );

  serveOperation(app, operations.mergeTag, async ({ workspaceId, params, body }) => {
    const { from, into } = await mergeTag(db, workspaceId, params.id, body.into);
    if (!from) throw notFoundError('tag');
    if (!into) throw validationError([{ path: 'body.into', message: 'names no other tag of this workspace' }]);
    return { data: toTag(into) };
  });

  serveOperation(app, operations.renameTag, async ({ workspaceId, params, body }) => {
    const row = await renameGroup(db, 'tags', workspaceId, params.id, body.name);
    if (!row) throw notFoundError('tag');
    if (row === 'taken') throw alreadyExistsError('tag', body.name);
    return { data: toTag(row) };
  });
}
