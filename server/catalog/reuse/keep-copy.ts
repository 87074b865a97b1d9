import type { ChangeBody } from '../../../contract/media-changes.ts';
import { addChange, type RefusedChange } from '../changes/change-jobs.ts';
import type { ChangeRow } from '../changes/change-rows.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { readMergedLabels } from './merge-labels.ts';

/** Ends a transaction, of which nothing is stored then. */
class Refused extends Error {
  readonly refusal: RefusedChange;

  constructor(refusal: RefusedChange) {
    super('A change was refused.');
    this.refusal = refusal;
  }
}

/**
 * Keeps one of some copies with the labels of all, and has the others go to the trash. Both are changes, stored together with what was read of the
 * labels.
 * @returns the changes in their order, each of which is to begin; undefined where one of the items is gone or in the trash, or is about to be: two
 * people who keep different copies would leave none
 */
export function keepCopy(
  db: Catalog,
  workspaceId: string,
  keepId: string,
  otherIds: string[],
): Promise<ChangeRow[] | RefusedChange | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const merged = await readMergedLabels(transaction, workspaceId, keepId, otherIds);
    if (!merged || (await areAboutToGo(transaction, workspaceId, [keepId, ...otherIds]))) return undefined;
    const wanted: ChangeBody[] = [
      ...(merged.merge ? [{ items: { ids: [keepId] }, change: merged.merge }] : []),
      ...(otherIds.length > 0 ? [{ items: { ids: otherIds }, change: { delete: true as const } }] : []),
    ];
    await leaveStack(transaction, workspaceId, keepId, otherIds);
    const rows: ChangeRow[] = [];
    for (const each of wanted) {
      const added = await addChange(transaction, workspaceId, each);
      if ('refused' in added) throw new Refused(added);
      rows.push(added);
    }
    return rows;
  }).catch((error: unknown) => {
    if (error instanceof Refused) return error.refusal;
    throw error;
  });
}

/** Whether a change that is under way moves one of some items to the trash. */
async function areAboutToGo(db: Catalog, workspaceId: string, ids: string[]): Promise<boolean> {
  const changes = await db
    .selectFrom('media_changes')
    .select(['id', 'change'])
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'running')
    .where('undoes', 'is', null)
    .execute();
  const deleting = changes.flatMap(({ id, change }) => ('delete' in (JSON.parse(change) as object) ? [id] : []));
  if (deleting.length === 0) return false;
  const { textsIn } = dialectOf(db);
  const found = await db
    .selectFrom('media_change_items')
    .select('media_id')
    .where('workspace_id', '=', workspaceId)
    .where('change_id', 'in', textsIn(deleting))
    .where('media_id', 'in', textsIn(ids))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Takes an item out of the stack of one that goes to the trash: it would go with it. */
async function leaveStack(db: Catalog, workspaceId: string, id: string, goingIds: string[]): Promise<void> {
  await db
    .updateTable('media_items')
    .set({ stack_id: null, updated_at: new Date().toISOString() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('stack_id', 'in', dialectOf(db).textsIn(goingIds))
    .execute();
}
