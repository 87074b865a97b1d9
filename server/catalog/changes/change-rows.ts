import { type Selectable, sql } from 'kysely';
import type { MediaChange } from '../../../contract/media-changes.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

/** Changes of many items, beside their jobs (`change-jobs.ts`). */

export type ChangeRow = Selectable<Database['media_changes']>;
/** Which change: its workspace and identifier. */
export type ChangeKey = Pick<ChangeRow, 'workspace_id' | 'id'>;

/** How long a change can be undone after it began, milliseconds. */
const keptMs = 24 * 60 * 60_000;
/** Items of newer changes of a workspace after which one is forgotten sooner: changed again and again, they would fill the disk. */
const maxKeptItems = 5_000_000;
/** Items of changes that are forgotten in one transaction. */
const forgottenAtOnce = 2000;

const selectChange = (db: Catalog, { workspace_id, id }: ChangeKey) =>
  db.selectFrom('media_changes').selectAll().where('workspace_id', '=', workspace_id).where('id', '=', id);

/** Narrows a statement to a change. */
export const updateChange = (db: Catalog, { workspace_id, id }: ChangeKey) =>
  db.updateTable('media_changes').where('workspace_id', '=', workspace_id).where('id', '=', id);

/** A change that is kept. */
export const findChange = (db: Catalog, key: ChangeKey): Promise<ChangeRow | undefined> =>
  selectChange(db, key).executeTakeFirst();

/** How many items of a change are through. */
export const countThrough = ({ done, skipped, failed }: ChangeRow): number => done + skipped + failed;

/** Whether a change is of a kind that can be set back, has changed something, and has ended. */
const isUndoable = ({ state, done, undoes, change }: ChangeRow): boolean =>
  state !== 'running' && done > 0 && undoes === null && !('retry' in (JSON.parse(change) as object));

/** Whether an undo of a change is under way, or has ended well. */
async function isUndone(db: Catalog, { workspace_id, id }: ChangeKey): Promise<boolean> {
  const undo = await db
    .selectFrom('media_changes')
    .select('id')
    .where('workspace_id', '=', workspace_id)
    .where('undoes', '=', id)
    .where('state', 'in', ['running', 'done'])
    .limit(1)
    .executeTakeFirst();
  return undo !== undefined;
}

/** Whether a change can be set back now. */
export const canUndo = async (db: Catalog, row: ChangeRow): Promise<boolean> =>
  isUndoable(row) && !(await isUndone(db, row));

/** How many changes of a workspace are under way. */
export async function countRunning(db: Catalog, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('media_changes')
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'running')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Ends a change. */
export async function endChange(
  db: Catalog,
  key: ChangeKey,
  state: Exclude<MediaChange['state'], 'running'>,
): Promise<void> {
  await updateChange(db, key)
    .set({ state, ended_at: new Date().toISOString() })
    .where('state', '=', 'running')
    .execute();
}

/** Ends a change whose processes died. */
export const markChangeFailed = (db: Catalog, key: ChangeKey): Promise<void> => endChange(db, key, 'failed');

/** Forgets the changes that can be undone no longer, some items at a time. */
export async function forgetChanges(db: Catalog, signal: AbortSignal, maxItems = maxKeptItems): Promise<void> {
  const until = new Date(Date.now() - keptMs).toISOString();
  const { rows: old } = await sql<Pick<ChangeRow, 'workspace_id' | 'id' | 'total'>>`
    select workspace_id, id, total from (
      select workspace_id, id, total, state, created_at, coalesce(sum(total) over (partition by workspace_id
        order by created_at desc, id desc rows between unbounded preceding and 1 preceding), 0) as newer
      from media_changes) changes
    where state <> 'running' and (created_at <= ${until} or newer >= ${maxItems})`.execute(db);
  for (const { workspace_id, id, total } of old) {
    for (let last = forgottenAtOnce; last - forgottenAtOnce < total; last += forgottenAtOnce) {
      signal.throwIfAborted();
      await sql`delete from media_change_items
        where workspace_id = ${workspace_id} and change_id = ${id} and position <= ${last}`.execute(db);
    }
    await inWorkspace(db, workspace_id, (transaction) =>
      transaction.deleteFrom('media_changes').where('workspace_id', '=', workspace_id).where('id', '=', id).execute(),
    );
  }
}
