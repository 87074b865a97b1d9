import { randomUUIDv7 } from 'node:crypto';
import type { Selectable } from 'kysely';
import { hashToken, randomToken, type Secrets } from '../../platform/crypto/secrets.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

/**
 * Public links to an item or to a moment of it. Whoever has the token may see that and nothing else, until it expires or is revoked, and not
 * while the item is in the trash. The catalog holds a hash, by which a token is found, and the encrypted token, so that members can copy
 * the link again.
 */

/** Most links of a workspace at a time. */
export const maxShares = 1000;

export type ShareRow = Selectable<Database['shares']>;

/** A link with what the list of links shows of its item and of who made it. */
export type ListedShare = ShareRow &
  Pick<Selectable<Database['media_items']>, 'filename' | 'type' | 'poster_file'> & { person: string | null };

export type NewShare = Pick<
  ShareRow,
  'workspace_id' | 'media_id' | 'start_time' | 'end_time' | 'title' | 'created_by' | 'expires_at'
>;

const now = (): string => new Date().toISOString();

/** Links that work. Those of an item in the trash do not, and are listed again when it is restored. */
const selectListed = (db: Catalog, workspaceId: string) =>
  db
    .selectFrom('shares')
    .innerJoin('media_items', (join) =>
      join
        .onRef('media_items.workspace_id', '=', 'shares.workspace_id')
        .onRef('media_items.id', '=', 'shares.media_id'),
    )
    .leftJoin('people', 'people.id', 'shares.created_by')
    .where('shares.workspace_id', '=', workspaceId)
    .where('shares.expires_at', '>', now())
    .where(notInTrash);

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
    .select(['media_items.filename', 'media_items.type', 'media_items.poster_file', 'people.name as person'])
    .orderBy('shares.created_at', 'desc')
    .orderBy('shares.id', 'desc')
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  return { rows, total };
}

/** A link of the workspace, as the list shows it. */
export function findListedShare(db: Catalog, workspaceId: string, id: string): Promise<ListedShare | undefined> {
  return selectListed(db, workspaceId)
    .selectAll('shares')
    .select(['media_items.filename', 'media_items.type', 'media_items.poster_file', 'people.name as person'])
    .where('shares.id', '=', id)
    .executeTakeFirst();
}

/** Stores a link with a new token. Undefined when the workspace has as many as it may. */
export function createShare(db: Catalog, secrets: Secrets, share: NewShare): Promise<ShareRow | undefined> {
  return inWorkspace(db, share.workspace_id, async (transaction) => {
    const { count } = await transaction
      .selectFrom('shares')
      .where('workspace_id', '=', share.workspace_id)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count >= maxShares) return undefined;
    const token = randomToken();
    return transaction
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
  });
}

/** The link with this token that has not expired. Whether its item may be seen is for the caller to ask. */
export function findShare(db: Catalog, token: string): Promise<ShareRow | undefined> {
  return db
    .selectFrom('shares')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', now())
    .executeTakeFirst();
}

/** Whether a link is stored. */
export async function hasShare(
  db: Catalog,
  { workspace_id, id }: Pick<ShareRow, 'workspace_id' | 'id'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('shares')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
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

/** Deletes the links that have expired. */
export function deleteExpiredShares(db: Catalog): Promise<ShareRow[]> {
  return db.deleteFrom('shares').where('expires_at', '<=', now()).returningAll().execute();
}

/** Deletes the links of all workspaces, whose tokens are encrypted with a secret key that is lost. */
export async function deleteAllShares(db: Catalog): Promise<void> {
  await db.deleteFrom('shares').execute();
}
