import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import { requestCopies, requestFingerprints } from '../reuse/fingerprints.ts';
import type { Catalog, Database } from '../schema.ts';
import { requestMatches } from '../searches/saved-matches.ts';
import { inWorkspace } from '../transactions.ts';
import { notInTrash } from './media-filter.ts';

/**
 * The trash of a workspace. An item there keeps its files, chunks and labels and counts for the quotas, but no list and no search has it.
 * After 30 days it is deleted. Its indexing goes on: a worker does not see the difference.
 */

/** How long an item stays in the trash, milliseconds. */
const keptMs = 30 * 24 * 60 * 60_000;

export type TrashedRow = Selectable<Database['media_items']> & { trashed_at: string };

/** When an item in the trash is deleted, RFC 3339. */
export const removalTime = ({ trashed_at }: Pick<TrashedRow, 'trashed_at'>): string =>
  new Date(Date.parse(trashed_at) + keptMs).toISOString();

const inTrash = (db: Catalog, workspaceId: string) =>
  db.selectFrom('media_items').where('workspace_id', '=', workspaceId).where('trashed_at', 'is not', null);

/** How many items are in the trash, and the bytes of their originals. */
export async function readTrashTotals(db: Catalog, workspaceId: string): Promise<{ items: number; bytes: number }> {
  const { items, bytes } = await db
    .selectFrom('trash_totals')
    .where('workspace_id', '=', workspaceId)
    .select((e) => [e.fn.sum<number | null>('items').as('items'), e.fn.sum<number | null>('bytes').as('bytes')])
    .executeTakeFirstOrThrow();
  return { items: items ?? 0, bytes: bytes ?? 0 };
}

/** Changes whenever an item moves into the trash of a workspace or out of it, and the chunks that are there now. */
export async function readTrashVersion(db: Catalog, workspaceId: string): Promise<{ moves: number; chunks: number }> {
  const { moves, chunks } = await db
    .selectFrom('trash_totals')
    .where('workspace_id', '=', workspaceId)
    .select((e) => [e.fn.sum<number | null>('moves').as('moves'), e.fn.sum<number | null>('chunks').as('chunks')])
    .executeTakeFirstOrThrow();
  return { moves: moves ?? 0, chunks: chunks ?? 0 };
}

/** One page of the trash, what came last first. */
export async function listTrash(
  db: Catalog,
  workspaceId: string,
  { page, per_page }: { page: number; per_page: number },
): Promise<TrashedRow[]> {
  const rows = await inTrash(db, workspaceId)
    .selectAll()
    .orderBy('trashed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  return rows as TrashedRow[];
}

/**
 * Moves items to the trash, with those of their stacks for which they are shown; those that are there keep their time.
 * @returns which of them are there now
 */
export function moveToTrash(db: Catalog, workspaceId: string, ids: string[]): Promise<string[]> {
  const now = new Date().toISOString();
  return inWorkspace(db, workspaceId, async (transaction) => {
    const some = dialectOf(db).textsIn(await addBehind(transaction, workspaceId, ids, notInTrash));
    await someItems(transaction.updateTable('media_items'), workspaceId, some)
      .set({ trashed_at: now, updated_at: now })
      .where(notInTrash)
      .execute();
    const moved = someItems(transaction.selectFrom('media_items').select('id'), workspaceId, some);
    return idsOf(await moved.where('trashed_at', 'is not', null).execute());
  });
}

/** Takes items out of the trash, with what went there with them because they were shown for it. @returns which of them are in the library now */
export function restoreWithStacks(db: Catalog, workspaceId: string, ids: string[]): Promise<string[]> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const together = sql<SqlBool>`trashed_at = (select shown.trashed_at from media_items shown
      where shown.workspace_id = media_items.workspace_id and shown.id = media_items.stack_id)`;
    return restoreFromTrash(transaction, workspaceId, await addBehind(transaction, workspaceId, ids, together));
  });
}

/** Items, and those behind them in their stacks that meet a condition. */
export async function addBehind(
  db: Catalog,
  workspaceId: string,
  ids: string[],
  condition: RawBuilder<SqlBool>,
): Promise<string[]> {
  const behind = await db
    .selectFrom('media_items')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('stack_id', 'in', dialectOf(db).textsIn(ids))
    .where(condition)
    .execute();
  return [...new Set([...ids, ...idsOf(behind)])];
}

/** Takes items out of the trash; those that are not there are left as they are. @returns which of them are in the library now */
export function restoreFromTrash(db: Catalog, workspaceId: string, ids: string[]): Promise<string[]> {
  const some = dialectOf(db).textsIn(ids);
  return inWorkspace(db, workspaceId, async (transaction) => {
    const taken = await someItems(transaction.updateTable('media_items'), workspaceId, some)
      // The caches of highlights go by the time of the last change.
      .set({ trashed_at: null, updated_at: new Date().toISOString() })
      .where('trashed_at', 'is not', null)
      .returning('id')
      .execute();
    // They may have been asked for while they were there, without being reported.
    await requestMatches(transaction, workspaceId, idsOf(taken));
    await requestCopies(transaction, workspaceId, idsOf(taken));
    await requestFingerprints(transaction, workspaceId, idsOf(taken));
    const restored = someItems(transaction.selectFrom('media_items').select('id'), workspaceId, some);
    return idsOf(await restored.where(notInTrash).execute());
  });
}

/** Narrows a statement to items of a workspace. */
function someItems<
  Statement extends {
    where(column: 'workspace_id', operator: '=', value: string): Statement;
    where(column: 'id', operator: 'in', value: RawBuilder<string>): Statement;
  },
>(statement: Statement, workspaceId: string, ids: RawBuilder<string>): Statement {
  return statement.where('workspace_id', '=', workspaceId).where('id', 'in', ids);
}

const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

/** An item in the trash, to be deleted. */
export type TrashedItem = Pick<Database['media_items'], 'workspace_id' | 'id' | 'size'>;

/** The next items that have been in the trash of a workspace since `until` or longer, at most `limit`. */
export function listTrashedItems(
  db: Catalog,
  workspaceId: string,
  until: string,
  limit: number,
): Promise<TrashedItem[]> {
  const items = inTrash(db, workspaceId).where('trashed_at', '<=', until);
  return items.select(['workspace_id', 'id', 'size']).limit(limit).execute();
}

/** Since when an item that is due for deletion now has been in the trash, or longer, RFC 3339. */
export const expiryLimit = (): string => new Date(Date.now() - keptMs).toISOString();

/** Items of all workspaces that have been in the trash since `until` or longer, at most `limit`. */
export function listExpiredItems(db: Catalog, until: string, limit: number): Promise<TrashedItem[]> {
  return db
    .selectFrom('media_items')
    .where('trashed_at', '<=', until)
    .select(['workspace_id', 'id', 'size'])
    .limit(limit)
    .execute();
}
