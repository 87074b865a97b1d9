import type { ChangeOfItems } from '../../../contract/media-changes.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { findUnknownLabels } from '../labels/labels.ts';
import {
  addMembers,
  findGroups,
  type GroupKind,
  markItems,
  removeMembers,
  touchCollection,
} from '../labels/members.ts';
import { retryMedia } from '../media/media-items.ts';
import { moveToTrash, restoreWithStacks } from '../media/trash.ts';
import type { Catalog } from '../schema.ts';
import type { ExtractionSource } from '../tables/texts.ts';
import { type Before, type ChangedFields, changedFields, type Outcome, skipped } from './before.ts';

/** An item as far as changes compare it. */
export type ComparedItem = Required<ChangedFields> & { id: string; trashed_at: string | null };

/** Those of some items that are there, in the trash or not. */
export const readCompared = (db: Catalog, workspaceId: string, ids: string[]): Promise<ComparedItem[]> =>
  db
    .selectFrom('media_items')
    .select(['id', 'trashed_at', ...changedFields])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(ids))
    .execute();

/**
 * Changes some items, within the transaction that stores what became of them. Labels that were deleted since the change began are left out.
 * @param recognised what this service recognises, for what is tried again
 * @returns what became of each item; those that are left out were skipped
 */
export async function changeItems(
  transaction: Catalog,
  workspaceId: string,
  change: ChangeOfItems,
  ids: string[],
  recognised: readonly ExtractionSource[],
): Promise<Map<string, Outcome>> {
  const items = await readCompared(transaction, workspaceId, ids);
  const present = items.filter(({ trashed_at }) => (trashed_at !== null) === (change.restore === true));
  if (change.retry) return retryItems(transaction, workspaceId, present, recognised);
  if (change.delete) return trashItems(transaction, workspaceId, present);
  if (change.restore) return restoreItems(transaction, workspaceId, present);
  const outcomes = await setFields(transaction, workspaceId, change, present);
  await changeGroups(transaction, workspaceId, change, present, outcomes);
  return outcomes;
}

type Outcomes = Map<string, Outcome>;

/** Notes what was done to an item, beside what is noted of it already. */
function note(outcomes: Outcomes, id: string, edit: (before: Before) => void): void {
  const before = outcomes.get(id)?.before ?? {};
  edit(before);
  outcomes.set(id, { outcome: 'done', before });
}

/** The fields that a change sets, without labels that are gone. */
export async function pickFields(
  transaction: Catalog,
  workspaceId: string,
  change: ChangedFields,
): Promise<ChangedFields> {
  const unknown: readonly string[] = await findUnknownLabels(transaction, workspaceId, change);
  return Object.fromEntries(
    changedFields
      .filter((field) => change[field] !== undefined && !unknown.includes(field))
      .map((field) => [field, change[field]]),
  );
}

async function setFields(
  transaction: Catalog,
  workspaceId: string,
  change: ChangeOfItems,
  items: ComparedItem[],
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const fields = await pickFields(transaction, workspaceId, change);
  const names = changedFields.filter((field) => fields[field] !== undefined);
  for (const item of items) {
    const others = names.filter((field) => item[field] !== fields[field]);
    if (others.length === 0) continue;
    note(outcomes, item.id, (before) => {
      before.fields = Object.fromEntries(others.map((field) => [field, item[field]]));
    });
  }
  await updateItems(transaction, workspaceId, [...outcomes.keys()], fields);
  return outcomes;
}

/** Sets fields of some items. */
export async function updateItems(
  transaction: Catalog,
  workspaceId: string,
  ids: string[],
  fields: ChangedFields,
): Promise<void> {
  if (ids.length === 0) return;
  await transaction
    .updateTable('media_items')
    .set({ ...fields, updated_at: new Date().toISOString() })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(transaction).textsIn(ids))
    .execute();
}

/** What a change says of collections and tags: what is named in both is added. */
const groupsOf = (change: ChangeOfItems): { kind: GroupKind; add: string[]; remove: string[] }[] =>
  (
    [
      ['tags', change.add_tag_ids, change.remove_tag_ids],
      ['collections', change.add_collection_ids, change.remove_collection_ids],
    ] as const
  ).map(([kind, add = [], remove = []]) => ({ kind, add, remove: remove.filter((id) => !add.includes(id)) }));

async function changeGroups(
  transaction: Catalog,
  workspaceId: string,
  change: ChangeOfItems,
  items: ComparedItem[],
  outcomes: Outcomes,
): Promise<void> {
  const ids = items.map(({ id }) => id);
  const changed = new Set<string>();
  for (const { kind, add, remove } of groupsOf(change)) {
    const known = await findGroups(transaction, kind, workspaceId, [...add, ...remove]);
    for (const group of remove.filter((id) => known.has(id))) {
      const removed = await removeMembers(transaction, kind, workspaceId, group, ids);
      for (const { media_id: item, ...member } of removed) {
        changed.add(item);
        note(outcomes, item, (before) => {
          ((before.removed ??= {})[kind] ??= []).push({ id: group, ...member });
        });
      }
      if (kind === 'collections' && removed.length > 0) await touchCollection(transaction, workspaceId, group);
    }
    for (const group of add.filter((id) => known.has(id))) {
      const added = await addMembers(transaction, kind, workspaceId, group, ids);
      for (const item of added) {
        changed.add(item);
        note(outcomes, item, (before) => {
          ((before.added ??= {})[kind] ??= []).push(group);
        });
      }
      if (kind === 'collections' && added.length > 0) await touchCollection(transaction, workspaceId, group);
    }
  }
  await markItems(transaction, workspaceId, [...changed]);
}

async function trashItems(transaction: Catalog, workspaceId: string, items: ComparedItem[]): Promise<Outcomes> {
  const ids = items.map(({ id }) => id);
  await moveToTrash(transaction, workspaceId, ids);
  const outcomes: Outcomes = new Map();
  for (const { id, trashed_at } of await readCompared(transaction, workspaceId, ids)) {
    if (trashed_at !== null) outcomes.set(id, { outcome: 'done', before: { trashed_at } });
  }
  return outcomes;
}

async function restoreItems(transaction: Catalog, workspaceId: string, items: ComparedItem[]): Promise<Outcomes> {
  const ids = items.map(({ id }) => id);
  const restored = new Set(await restoreWithStacks(transaction, workspaceId, ids));
  return new Map(
    items.flatMap(({ id, trashed_at }) =>
      restored.has(id) && trashed_at !== null ? [[id, { outcome: 'done', before: { restored_from: trashed_at } }]] : [],
    ),
  );
}

async function retryItems(
  transaction: Catalog,
  workspaceId: string,
  items: ComparedItem[],
  recognised: readonly ExtractionSource[],
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  for (const { id } of items) {
    const result = await retryMedia(transaction, workspaceId, id, recognised);
    const outcome = result?.violation ? 'failed' : result?.retried ? 'done' : 'skipped';
    outcomes.set(id, { ...skipped, outcome });
  }
  return outcomes;
}
