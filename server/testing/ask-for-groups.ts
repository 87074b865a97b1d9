import { sql } from 'kysely';
import { maxGroups } from '../../contract/item-groups.ts';
import type { Catalog } from '../catalog/schema.ts';
import { beginUploadAs } from './ask-for-uploads.ts';
import { createFileForm } from './send-operation.ts';
import { type OperationId, type RequestOptions, unknownId, validRequests } from './valid-requests.ts';

/** Sends a request, which is to be answered with a status, or with the usual one of its operation. */
export type Ask = (id: OperationId, asked: RequestOptions, status?: number) => Promise<{ id: string }>;

/** Provokes what the operations of collections, tags and changes of items answer, but for their limits. Gives one of each that is left. */
export async function askForGroups(ask: Ask, item: string): Promise<{ collection: string; tag: string }> {
  const collection = await ask('createCollection', { json: { name: 'Lisbon' } });
  await ask('createCollection', { json: { name: 'LISBON' } }, 409);
  await ask('createCollection', { json: { name: 'Porto' } });
  await ask('getCollection', { id: collection.id });
  await ask('changeCollectionItems', { id: collection.id, json: { add: [item] } });
  await ask('listCollections', {});
  await ask('updateCollection', { id: collection.id, json: { name: 'porto' } }, 409);
  await ask('updateCollection', { id: collection.id, json: { name: 'Faro' } });
  await ask('updateCollection', { id: collection.id, json: { description: 'By the sea.', cover_id: item } });
  await ask('updateCollection', { id: collection.id, json: { cover_id: unknownId } }, 400);
  await ask('orderCollection', { id: collection.id, json: { moves: [{ media_ids: [item], before_id: null }] } });
  const tag = await ask('createTag', { json: { name: 'sunset' } });
  await ask('createTag', { json: { name: 'Sunset' } }, 409);
  const other = await ask('createTag', { json: { name: 'dusk' } });
  await ask('getTag', { id: tag.id });
  await ask('changeTagItems', { id: other.id, json: { add: [item] } });
  await ask('renameTag', { id: tag.id, json: { name: 'Dusk' } }, 409);
  await ask('renameTag', { id: tag.id, json: { name: 'evening' } });
  await ask('mergeTag', { id: other.id, json: { into: other.id } }, 400);
  await ask('mergeTag', { id: other.id, json: { into: tag.id } });
  await ask('listTags', {});
  await askForChanges(ask);
  return { collection: collection.id, tag: tag.id };
}

/** Fills a workspace with collections and tags, and asks for one more of each. */
export async function askForGroupsBeyondLimit(ask: Ask, db: Catalog, workspaceId: string): Promise<void> {
  for (const [kind, more] of [
    ['collections', 'updated_at'],
    ['tags', null],
  ] as const) {
    const [column, value] = more === null ? ['', ''] : [`, ${more}`, ", 'now'"];
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${maxGroups})
      insert into ${sql.table(kind)} (workspace_id, id, name, folded_name, created_at${sql.raw(column)})
      select ${workspaceId}, 'x' || i, i, i, 'now'${sql.raw(value)} from n`.execute(db);
  }
  for (const id of ['createCollection', 'createTag'] as const) await ask(id, validRequests[id] ?? {}, 403);
}

/** Sends an `Idempotency-Key` that another request has used with all that takes one and creates something in the library. */
export async function askForKeyOfAnother(ask: Ask, key: string): Promise<void> {
  for (const id of [
    'createCollection',
    'createTag',
    'createSavedSearch',
    'changeMedia',
    'createExport',
    'createShare',
  ] as const) {
    await ask(id, { ...validRequests[id], headers: { 'Idempotency-Key': key } }, 422);
  }
}

/** Provokes what the operations of changes of many items answer. */
async function askForChanges(ask: Ask): Promise<void> {
  await ask('listMediaIds', {});
  const change = await ask('changeMedia', { json: { items: { filter: {} }, change: { rating: 2 } } });
  await ask('getMediaChange', { id: change.id });
  await ask('cancelMediaChange', { id: change.id });
  await ask('undoMediaChange', { id: change.id });
  await ask('undoMediaChange', { id: change.id }, 409);
}

/** Sends a key whose first request is under way. @param file a photograph that is not in the workspace @param item one that is */
export async function askForHeldKey(ask: Ask, key: string, file: string, item: string): Promise<void> {
  const headers = { 'Idempotency-Key': key };
  await ask('uploadMedia', { form: await createFileForm(file), headers }, 409);
  await ask('importMedia', { ...validRequests.importMedia, headers }, 409);
  await ask('createUpload', beginUploadAs(key), 409);
  await ask('changeMedia', { ...validRequests.changeMedia, headers }, 409);
  await ask('createComment', { ...validRequests.createComment, id: item, headers }, 409);
}
