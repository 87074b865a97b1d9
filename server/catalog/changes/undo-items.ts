import { sql } from 'kysely';
import type { ChangeOfItems } from '../../../contract/media-changes.ts';
import { dialectOf } from '../dialect/dialect.ts';
import {
  findGroups,
  type GroupKind,
  idOf,
  markItems,
  membersOf,
  removeMembers,
  touchCollection,
} from '../labels/members.ts';
import { notInTrash } from '../media/media-filter.ts';
import { addBehind, restoreWithStacks } from '../media/trash.ts';
import type { Catalog } from '../schema.ts';
import { type Before, type ChangedFields, changedFields, type Outcome } from './before.ts';
import { type ComparedItem, pickFields, readCompared, updateItems } from './change-items.ts';

/** An item of a change, with what that did to it. */
export type ChangedItem = { id: string; before: Before };

const groupKinds: readonly GroupKind[] = ['tags', 'collections'];

/**
 * Sets back what a change did to some items, wherever they are now, within the transaction that stores what became of them. What was changed again
 * since stays: a field that has another value than the change gave it, an item that left the trash or came into it again.
 * @param change what is set back
 * @returns what became of each item; those that are left out were skipped
 */
export async function undoItems(
  transaction: Catalog,
  workspaceId: string,
  change: ChangeOfItems,
  items: ChangedItem[],
): Promise<Map<string, Outcome>> {
  const rows = await readCompared(
    transaction,
    workspaceId,
    items.map(({ id }) => id),
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const present = items.flatMap((item) => {
    const now = found.get(item.id);
    return now ? [{ ...item, now }] : [];
  });
  const done = new Set<string>();
  await setBackFields(transaction, workspaceId, change, present, done);
  const marked = new Set<string>();
  for (const kind of groupKinds) await setBackGroups(transaction, workspaceId, kind, present, marked);
  await markItems(transaction, workspaceId, [...marked]);
  await setBackTrash(transaction, workspaceId, present, done);
  return new Map([...done, ...marked].map((id) => [id, { outcome: 'done', before: null }]));
}

type PresentItem = ChangedItem & { now: ComparedItem };

/** Adds to the entry of a key. */
function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const entry = map.get(key);
  if (entry) entry.push(value);
  else map.set(key, [value]);
}

/** Items that get the same values are set in one statement. */
async function setBackFields(
  transaction: Catalog,
  workspaceId: string,
  change: ChangedFields,
  items: PresentItem[],
  done: Set<string>,
): Promise<void> {
  const groups = new Map<string, string[]>();
  for (const { id, before, now } of items) {
    const { fields = {} } = before;
    const own = changedFields.filter((field) => fields[field] !== undefined && now[field] === change[field]);
    if (own.length > 0) addTo(groups, JSON.stringify(own.map((field) => [field, fields[field]])), id);
  }
  for (const [key, ids] of groups) {
    const fields = Object.fromEntries(JSON.parse(key) as [keyof ChangedFields, never][]) as ChangedFields;
    const cleared = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));
    // A label that was deleted since would have been taken from the item.
    await updateItems(transaction, workspaceId, ids, {
      ...cleared,
      ...(await pickFields(transaction, workspaceId, fields)),
    });
    for (const id of ids) done.add(id);
  }
}

async function setBackGroups(
  transaction: Catalog,
  workspaceId: string,
  kind: GroupKind,
  items: PresentItem[],
  marked: Set<string>,
): Promise<void> {
  const lost = new Map<string, string[]>();
  const got = new Map<string, { media_id: string; added_at: string; position: number | null }[]>();
  for (const { id: item, before } of items) {
    for (const group of before.added?.[kind] ?? []) addTo(lost, group, item);
    for (const { id: group, ...member } of before.removed?.[kind] ?? [])
      addTo(got, group, { media_id: item, ...member });
  }
  const known = await findGroups(transaction, kind, workspaceId, [...lost.keys(), ...got.keys()]);
  for (const group of known) {
    const removed = await removeMembers(transaction, kind, workspaceId, group, lost.get(group) ?? []);
    const added = await putBack(transaction, kind, workspaceId, group, got.get(group) ?? []);
    const changed = [...removed.map(({ media_id }) => media_id), ...added];
    for (const id of changed) marked.add(id);
    if (kind === 'collections' && changed.length > 0) await touchCollection(transaction, workspaceId, group);
  }
}

/** Puts items back to where they were in a collection, or gives them a tag again. Returns those that were not in it. */
async function putBack(
  transaction: Catalog,
  kind: GroupKind,
  workspaceId: string,
  group: string,
  members: { media_id: string; added_at: string; position: number | null }[],
): Promise<string[]> {
  if (members.length === 0) return [];
  const own = kind === 'collections' ? sql`, position` : sql``;
  const rows = dialectOf(transaction).rowsIn({ media_id: 'text', added_at: 'text', position: 'real' }, members);
  const { rows: added } = await sql<{ media_id: string }>`
    with members (media_id, added_at, position) as (${rows})
    insert into ${membersOf(kind)} (workspace_id, ${idOf(kind)}, media_id, added_at${own})
    select ${workspaceId}, ${group}, media_id, added_at${own} from members where true
    on conflict do nothing returning media_id`.execute(transaction);
  return added.map(({ media_id }) => media_id);
}

async function setBackTrash(
  transaction: Catalog,
  workspaceId: string,
  items: PresentItem[],
  done: Set<string>,
): Promise<void> {
  const trashed = items.filter(
    ({ before, now }) => before.trashed_at !== undefined && now.trashed_at === before.trashed_at,
  );
  if (trashed.length > 0)
    for (const id of await restoreWithStacks(
      transaction,
      workspaceId,
      trashed.map(({ id }) => id),
    ))
      done.add(id);
  const times = new Map<string, string[]>();
  for (const { id, before, now } of items) {
    if (before.restored_from !== undefined && now.trashed_at === null) addTo(times, before.restored_from, id);
  }
  // They were deleted together, so there are few times.
  for (const [time, ids] of times) {
    await transaction
      .updateTable('media_items')
      .set({ trashed_at: time, updated_at: new Date().toISOString() })
      .where('workspace_id', '=', workspaceId)
      .where('id', 'in', dialectOf(transaction).textsIn(await addBehind(transaction, workspaceId, ids, notInTrash)))
      .execute();
    for (const id of ids) done.add(id);
  }
}
