import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { MediaType } from '../../../contract/media.ts';
import { hashToken, randomToken, type Secrets } from '../../platform/crypto/secrets.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

/**
 * Public links to an item, a moment of it, a collection or a selection of items. Whoever has the token, and the password where there is one, may
 * see that and nothing else, until it expires or is revoked, and no item that is in the trash. The catalog holds a hash, by which a token is
 * found, and the encrypted token, so that members can copy the link again.
 */

/** Most links of a workspace at a time. */
export const maxShares = 1000;

export type ShareRow = Selectable<Database['shares']>;

/** A link with what the list of links shows of what it leads to and of who made it. */
export type ListedShare = ShareRow &
  Pick<Selectable<Database['media_items']>, 'poster_file'> & {
    filename: string | null;
    type: MediaType | null;
    collection: string | null;
    person: string | null;
  };

type Chosen = 'start_time' | 'end_time' | 'title' | 'note' | 'download' | 'comments' | 'password_hash' | 'expires_at';
export type NewShare = Pick<ShareRow, 'workspace_id' | 'media_id' | 'collection_id' | 'created_by' | Chosen>;
export type ShareChanges = { [Name in Exclude<Chosen, 'start_time' | 'end_time'>]?: ShareRow[Name] | undefined };

const now = (): string => new Date().toISOString();

/** Links that work. Those of an item in the trash do not, and are listed again when it is restored. */
const selectListed = (db: Catalog, workspaceId: string) =>
  db
    .selectFrom('shares')
    .leftJoin('media_items', (join) =>
      join
        .onRef('media_items.workspace_id', '=', 'shares.workspace_id')
        .onRef('media_items.id', '=', 'shares.media_id'),
    )
    .leftJoin('collections', (join) =>
      join
        .onRef('collections.workspace_id', '=', 'shares.workspace_id')
        .onRef('collections.id', '=', 'shares.collection_id'),
    )
    .leftJoin('people', 'people.id', 'shares.created_by')
    .where('shares.workspace_id', '=', workspaceId)
    .where('shares.expires_at', '>', now())
    // Of a link to many items each is asked by itself.
    .where('media_items.trashed_at', 'is', null);

const shown = [
  'media_items.filename',
  'media_items.type',
  'media_items.poster_file',
  'collections.name as collection',
  'people.name as person',
] as const;

/** One page of a workspace's links, the newest first, and how many there are on all pages. */
export async function listShares(
  db: Catalog,
  workspaceId: string,
  { page, per_page }: { page: number; per_page: number },
): Promise<{ rows: ListedShare[]; total: number }> {
  const listed = selectListed(db, workspaceId);
  const { total } = await listed.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await listed
    .selectAll('shares')
    .select(shown)
    .orderBy('shares.created_at', 'desc')
    .orderBy('shares.id', 'desc')
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  return { rows, total };
}

/** A link of the workspace, as the list shows it. */
export function findListedShare(db: Catalog, workspaceId: string, id: string): Promise<ListedShare | undefined> {
  return selectListed(db, workspaceId).selectAll('shares').select(shown).where('shares.id', '=', id).executeTakeFirst();
}

/**
 * Stores a link with a new token. Undefined when the workspace has as many as it may.
 * @param mediaIds of a link to a selection: its items, in their order
 */
export function createShare(
  db: Catalog,
  secrets: Secrets,
  share: NewShare,
  mediaIds: readonly string[],
): Promise<ShareRow | undefined> {
  const { workspace_id } = share;
  return inWorkspace(db, workspace_id, async (transaction) => {
    const { count } = await transaction
      .selectFrom('shares')
      .where('workspace_id', '=', workspace_id)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count >= maxShares) return undefined;
    const token = randomToken();
    const stored = await transaction
      .insertInto('shares')
      .values({
        ...share,
        id: randomUUIDv7(),
        token_hash: hashToken(token),
        sealed: secrets.seal(token),
        created_at: now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const entries = mediaIds.map((media_id, position) => ({ workspace_id, share_id: stored.id, media_id, position }));
    if (entries.length > 0) await transaction.insertInto('share_items').values(entries).execute();
    return stored;
  });
}

/** Changes a link. Undefined when there is none that works. */
export async function changeShare(
  db: Catalog,
  workspaceId: string,
  id: string,
  changes: ShareChanges,
): Promise<ListedShare | undefined> {
  await db
    .updateTable('shares')
    .set(changes)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('expires_at', '>', now())
    .execute();
  return findListedShare(db, workspaceId, id);
}

/** The link with this token that has not expired. Whether its items may be seen is for the caller to ask. */
export function findShare(db: Catalog, token: string): Promise<(ShareRow & { person: string | null }) | undefined> {
  return db
    .selectFrom('shares')
    .leftJoin('people', 'people.id', 'shares.created_by')
    .selectAll('shares')
    .select('people.name as person')
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', now())
    .executeTakeFirst();
}

/** A link of the workspace, also one that has expired. */
export function findStoredShare(db: Catalog, workspaceId: string, id: string): Promise<ShareRow | undefined> {
  return db
    .selectFrom('shares')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Revokes a link. Undefined when there is none. */
export function deleteShare(db: Catalog, workspaceId: string, id: string): Promise<ShareRow | undefined> {
  return db
    .deleteFrom('shares')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** The links that have expired. */
export function listExpiredShares(db: Catalog): Promise<ShareRow[]> {
  return db.selectFrom('shares').selectAll().where('expires_at', '<=', now()).execute();
}

/** Deletes the links of all workspaces, whose tokens are encrypted with a secret key that is lost. */
export async function deleteAllShares(db: Catalog): Promise<void> {
  await db.deleteFrom('shares').execute();
}

/** How many comments the guests of a link have written. */
export async function countGuestComments(
  db: Catalog,
  { workspace_id, id }: Pick<ShareRow, 'workspace_id' | 'id'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from comments where workspace_id = ${workspace_id} and share_id = ${id}`.execute(db);
  return rows[0]?.count ?? 0;
}
