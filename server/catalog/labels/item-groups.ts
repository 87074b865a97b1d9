import { randomUUIDv7 } from 'node:crypto';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { ListByNameQuery } from '../../../contract/creators.ts';
import { type CollectionChanges, maxGroups, type MemberChanges } from '../../../contract/item-groups.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import {
  addMembers,
  changedNow,
  type GroupKind,
  idOf,
  isMember,
  markItems,
  membersOf,
  removeMembers,
  touchCollection,
} from './members.ts';
import { normaliseName } from './normalise-name.ts';

export type GroupRow = Selectable<Database['tags']> & { media_count: number };
/** What collections have only. */
export type CollectionRow = GroupRow &
  Pick<Selectable<Database['collections']>, 'updated_at' | 'description' | 'cover_id'>;

const selectGroups = (db: Catalog, kind: GroupKind, workspaceId: string) =>
  // Both tables have these columns; `selectAll` adds `updated_at`.
  db.selectFrom(kind as 'collections').where('workspace_id', '=', workspaceId);

/** All members, less those in the trash: each of those is looked up, so that neither a large collection nor a large trash costs much. */
const countMembers = (db: Catalog, kind: GroupKind): RawBuilder<number> => {
  const workspace = sql.ref(`${kind}.workspace_id`);
  const members = sql`${membersOf(kind)} members where ${dialectOf(db).withoutIndex('members.workspace_id')} = ${workspace}
    and members.${idOf(kind)} = ${sql.ref(`${kind}.id`)}`;
  return sql<number>`((select count(*) from ${members}) - (select count(*) from media_items trashed
    where trashed.workspace_id = ${workspace} and trashed.trashed_at is not null
      and exists (select 1 from ${members} and members.media_id = trashed.id)))`;
};

/** One page of a workspace's collections or tags by name, and how many there are on all pages. */
export async function listGroups(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  query: ListByNameQuery,
): Promise<{ rows: CollectionRow[]; total: number }> {
  let matching = selectGroups(db, kind, workspaceId);
  if (query.q) matching = matching.where(dialectOf(db).contains(sql.ref('folded_name'), normaliseName(query.q)));
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .select(countMembers(db, kind).as('media_count'))
    .orderBy('folded_name')
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute();
  return { rows, total };
}

export function findGroup(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  id: string,
): Promise<CollectionRow | undefined> {
  return selectGroups(db, kind, workspaceId)
    .selectAll()
    .select(countMembers(db, kind).as('media_count'))
    .where('id', '=', id)
    .executeTakeFirst();
}

const findByName = (db: Catalog, kind: GroupKind, workspaceId: string, name: string) =>
  selectGroups(db, kind, workspaceId).select('id').where('folded_name', '=', normaliseName(name)).executeTakeFirst();

/** Creates a collection, which alone has a description, or a tag. `taken`: there is one of that name; `full`: there are as many as there may be. */
export function createGroup(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  name: string,
  description = '',
): Promise<CollectionRow | 'taken' | 'full'> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    if (await findByName(transaction, kind, workspaceId, name)) return 'taken';
    const id = await insertGroup(transaction, kind, workspaceId, name, description);
    return id === null ? 'full' : ((await findGroup(transaction, kind, workspaceId, id)) as CollectionRow);
  });
}

/** Creates one of a name that is free. Returns its identifier; null: there are as many as there may be. */
async function insertGroup(
  transaction: Catalog,
  kind: GroupKind,
  workspaceId: string,
  name: string,
  description = '',
): Promise<string | null> {
  const { count } = await selectGroups(transaction, kind, workspaceId)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= maxGroups) return null;
  const now = new Date().toISOString();
  const row = {
    workspace_id: workspaceId,
    id: randomUUIDv7(),
    name,
    folded_name: normaliseName(name),
    created_at: now,
    ...(kind === 'collections' ? { updated_at: now, description } : {}),
  };
  await transaction
    .insertInto(kind as 'collections')
    .values(row as typeof row & { updated_at: string })
    .execute();
  return row.id;
}

/** Whether a workspace has room for the tags of these names that it does not have. */
export async function hasRoomForTags(db: Catalog, workspaceId: string, names: string[]): Promise<boolean> {
  const folded = [...new Set(names.map(normaliseName))];
  const all = selectGroups(db, 'tags', workspaceId).select((e) => e.fn.countAll<number>().as('count'));
  const [known, { count }] = await Promise.all([
    all.where('folded_name', 'in', folded).executeTakeFirstOrThrow(),
    all.executeTakeFirstOrThrow(),
  ]);
  return folded.length === known.count || count + folded.length - known.count <= maxGroups;
}

/**
 * Puts a new item into a collection and gives it tags by their names, within the transaction that stores it, as far as that is possible.
 * @returns what was not possible; null: all was done
 */
export async function groupNewItem(
  transaction: Catalog,
  { workspace_id, id }: { workspace_id: string; id: string },
  { collection_id, tags = [] }: { collection_id?: string | undefined; tags?: string[] | undefined },
): Promise<'no collection' | 'too many tags' | null> {
  let problem: Awaited<ReturnType<typeof groupNewItem>> = null;
  if (collection_id !== undefined) {
    if (await findGroup(transaction, 'collections', workspace_id, collection_id)) {
      await addMembers(transaction, 'collections', workspace_id, collection_id, [id]);
      await touchCollection(transaction, workspace_id, collection_id);
    } else problem = 'no collection';
  }
  for (const name of tags) {
    const known = await findByName(transaction, 'tags', workspace_id, name);
    const tagId = known?.id ?? (await insertGroup(transaction, 'tags', workspace_id, name));
    if (tagId === null) problem ??= 'too many tags';
    else await addMembers(transaction, 'tags', workspace_id, tagId, [id]);
  }
  return problem;
}

/** Renames one. `taken`: another has that name. Undefined when there is none with this identifier. */
export function renameGroup(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  id: string,
  name: string,
): Promise<CollectionRow | 'taken' | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const other = await findByName(transaction, kind, workspaceId, name);
    if (other && other.id !== id) return 'taken';
    await transaction
      .updateTable(kind as 'collections')
      .set({ name, folded_name: normaliseName(name), ...changedNow(kind) })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
    return findGroup(transaction, kind, workspaceId, id);
  });
}

/**
 * Changes what people say of a collection. `taken`: another has that name; `not in it`: the cover is no item of it. Undefined when there is none with
 * this identifier.
 */
export function updateCollection(
  db: Catalog,
  workspaceId: string,
  id: string,
  { name, ...changes }: CollectionChanges,
): Promise<CollectionRow | 'taken' | 'not in it' | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const cover = changes.cover_id ?? null;
    if (cover !== null && (await findGroup(transaction, 'collections', workspaceId, id))) {
      if (!(await isMember(transaction, workspaceId, id, cover))) return 'not in it';
    }
    if (name !== undefined) {
      const renamed = await renameGroup(transaction, 'collections', workspaceId, id, name);
      if (!renamed || renamed === 'taken') return renamed;
    }
    await transaction
      .updateTable('collections')
      .set({ ...changes, ...changedNow('collections') })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
    return findGroup(transaction, 'collections', workspaceId, id);
  });
}

/** Deletes one. Its items stay. False when there is none. */
export function deleteGroup(db: Catalog, kind: GroupKind, workspaceId: string, id: string): Promise<boolean> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    if (!(await findGroup(transaction, kind, workspaceId, id))) return false;
    const { rows } = await sql<{ media_id: string }>`
      delete from ${membersOf(kind)} where ${dialectOf(db).withoutIndex('workspace_id')} = ${workspaceId}
        and ${idOf(kind)} = ${id} returning media_id`.execute(transaction);
    await markItems(
      transaction,
      workspaceId,
      rows.map(({ media_id }) => media_id),
    );
    await transaction
      .deleteFrom(kind as 'collections')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
    return true;
  });
}

/**
 * Adds items to a collection or tag and removes others; those named in both are in it afterwards. Identifiers that name no item of the
 * workspace, or one in the trash, are ignored.
 * @returns the items that were changed; undefined when there is no such collection or tag
 */
export function changeMembers(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  id: string,
  { add = [], remove = [] }: MemberChanges,
): Promise<{ added: string[]; removed: string[]; media_count: number } | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const group = await findGroup(transaction, kind, workspaceId, id);
    if (!group) return undefined;
    const listed = await findListed(transaction, workspaceId, [...add, ...remove]);
    const kept = new Set(add);
    const wanted = remove.filter((mediaId) => listed.has(mediaId) && !kept.has(mediaId));
    const removed = (await removeMembers(transaction, kind, workspaceId, id, wanted)).map(({ media_id }) => media_id);
    const added = await addMembers(
      transaction,
      kind,
      workspaceId,
      id,
      add.filter((mediaId) => listed.has(mediaId)),
    );
    await markItems(transaction, workspaceId, [...added, ...removed]);
    if (kind === 'collections' && added.length + removed.length > 0) {
      await touchCollection(transaction, workspaceId, id);
    }
    return { added, removed, media_count: group.media_count + added.length - removed.length };
  });
}

/** Those of some identifiers that name an item outside of the trash. */
async function findListed(db: Catalog, workspaceId: string, mediaIds: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('media_items')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(mediaIds))
    .where(notInTrash)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Gives the items of a tag another one instead, and deletes it. Undefined when one of the two does not exist. */
export function mergeTag(
  db: Catalog,
  workspaceId: string,
  id: string,
  into: string,
): Promise<{ from: GroupRow | undefined; into: GroupRow | undefined }> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const from = await findGroup(transaction, 'tags', workspaceId, id);
    const target = await findGroup(transaction, 'tags', workspaceId, into);
    if (!from || !target || id === into) return { from, into: undefined };
    const { rows } = await sql<{ media_id: string }>`
      select media_id from item_tags where ${dialectOf(db).withoutIndex('workspace_id')} = ${workspaceId} and tag_id = ${id}`.execute(
      transaction,
    );
    const mediaIds = rows.map(({ media_id }) => media_id);
    await addMembers(transaction, 'tags', workspaceId, into, mediaIds);
    await markItems(transaction, workspaceId, mediaIds);
    await transaction.deleteFrom('tags').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
    return { from, into: await findGroup(transaction, 'tags', workspaceId, into) };
  });
}
