import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { FilterName } from '../../../contract/fields.ts';
import type { ListFilter } from '../../../contract/filters.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { listConditions, notInTrash } from './media-filter.ts';
import type { MediaRow } from './media-items.ts';

/** Most items of one stack that their files put together: cameras write bursts of some hundreds. One file more stands alone. */
const maxMembers = 1000;

/** What the film of a Live Photo and its photograph differ in by nature: who asks for films by these is not shown each film of a photograph. */
const differing = new Set<FilterName>([
  'type',
  'duration_min',
  'duration_max',
  'codec',
  'frame_rate_min',
  'frame_rate_max',
  'sound',
  'resolution',
]);

/**
 * Which items stand behind another one in the list of a filter: those of a stack whose shown item passes the filter as well. Where that one does not, because
 * only another item of the stack has the tag that is asked for, the other is shown; where it is in the trash, each is shown again. None where a stack, or items
 * themselves, are asked for.
 */
export function standsBehind(db: Catalog, workspaceId: string, filter: ListFilter): RawBuilder<SqlBool> {
  if (filter.stack_id !== undefined || filter.ids !== undefined) return sql`(1 = 0)`;
  return sql`(media_items.stack_id is not null and media_items.stack_id <> media_items.id
    and media_items.stack_id in ${shownIn(db, workspaceId, filter)})`;
}

/** How many items pass a filter and stand behind another one in its list. */
export function countBehind(db: Catalog, workspaceId: string, filter: ListFilter): RawBuilder<number> {
  if (filter.stack_id !== undefined || filter.ids !== undefined) return sql`0`;
  const behind = sql`media_items.stack_id <> media_items.id and media_items.stack_id in ${shownIn(db, workspaceId, filter)}`;
  return sql`(select count(*) from ${inStacks(workspaceId, behind, listConditions(db, workspaceId, filter))})`;
}

/** The items that are shown for their stacks, and pass a filter. */
function shownIn(db: Catalog, workspaceId: string, filter: ListFilter): RawBuilder<string> {
  const ofBoth = Object.fromEntries(
    Object.entries(filter).filter(([parameter]) => !differing.has(parameter as FilterName)),
  );
  const shown = sql`media_items.stack_id = media_items.id`;
  return sql`(select media_items.id from ${inStacks(workspaceId, shown, listConditions(db, workspaceId, ofBoth))})`;
}

/** Some items of stacks, as what follows `from`. */
function inStacks(workspaceId: string, which: RawBuilder<unknown>, conditions: RawBuilder<SqlBool>[]) {
  const stacked = sql`media_items where media_items.workspace_id = ${workspaceId} and media_items.stack_id is not null and ${which} and ${notInTrash}`;
  if (conditions.length === 0) return stacked;
  // By a limit that is none SQLite finds them by their stacks, and not all items by the index of what else is asked for.
  return sql`(select * from ${stacked} limit 9223372036854775807) media_items where ${sql.join(conditions, sql` and `)}`;
}

/**
 * Puts an item that was just indexed together with those that say the same of what they belong to: the photograph of a Live Photo is shown for its
 * film, the first of a burst for the others. Call it in the transaction that completes the item.
 */
export async function joinStack(
  db: Catalog,
  { workspace_id, id }: Pick<MediaRow, 'workspace_id' | 'id'>,
  key: string | null,
): Promise<void> {
  if (key === null) return;
  const { rows } = await sql<{ id: string; stack_id: string | null }>`
    select id, stack_id from media_items
    where workspace_id = ${workspace_id} and stack_key = ${key} and status = 'complete' and trashed_at is null
    order by case type when 'image' then 0 else 1 end, taken_at, created_at, id limit ${sql.lit(maxMembers + 1)}
  `.execute(db);
  const [first] = rows;
  const isMember = rows.some((row) => row.id === id);
  if (!first || !isMember || rows.length < 2 || rows.length > maxMembers) return;
  // A stack keeps what is shown for it, unless that is a film and its photograph came later.
  const known = rows.find((row) => row.stack_id !== null && rows.some((other) => other.id === row.stack_id))?.stack_id;
  const cover = known !== undefined && first.stack_id !== null ? known : first.id;
  // Each item that is written is an event, and is read again by indexes.
  const others = rows.filter((row) => row.stack_id !== cover).map((row) => row.id);
  await db
    .updateTable('media_items')
    .set({ stack_id: cover, updated_at: new Date().toISOString() })
    .where('workspace_id', '=', workspace_id)
    .where('id', 'in', dialectOf(db).textsIn(others))
    .execute();
}

/** How many items are in a stack, and whether one of them is a film. */
export type Stack = { count: number; live: boolean };

/** The stacks that some items are in, by the items that are shown for them. */
export async function readStacks(
  db: Catalog,
  workspaceId: string,
  items: readonly Pick<MediaRow, 'stack_id'>[],
): Promise<Map<string, Stack>> {
  const ids = [...new Set(items.flatMap(({ stack_id }) => stack_id ?? []))];
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ stack_id: string; count: number; films: number }>`
    select stack_id, count(*) as count, count(case type when 'video' then 1 end) as films from media_items
    where workspace_id = ${workspaceId} and stack_id in ${dialectOf(db).textsIn(ids)} and trashed_at is null group by stack_id
  `.execute(db);
  return new Map(rows.map(({ stack_id, count, films }) => [stack_id, { count, live: films > 0 }]));
}

/** The stack of an item; one that has lost all others is none. */
export function toStack(
  { stack_id: id }: Pick<MediaRow, 'stack_id'>,
  stacks: ReadonlyMap<string, Stack>,
): (Stack & { id: string }) | null {
  const stack = id === null ? undefined : stacks.get(id);
  return id !== null && stack && stack.count > 1 ? { id, ...stack } : null;
}

/**
 * Puts an item into the stack of another, by hand, or takes it out.
 * @param cover the other item, or one that stands with it; null takes it out, and what its file says counts no more, also when it is indexed again
 * @returns the columns to be set; null where there is no such other item
 */
export async function chooseStack(
  db: Catalog,
  workspaceId: string,
  id: string,
  cover: string | null,
): Promise<Partial<Pick<MediaRow, 'stack_id' | 'stack_key'>> | null> {
  if (cover === null) {
    await passOn(db, workspaceId, id);
    return { stack_id: null, stack_key: takenOut };
  }
  const other = await db
    .selectFrom('media_items')
    .select(['id', 'stack_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', cover)
    .where('trashed_at', 'is', null)
    .executeTakeFirst();
  if (!other || other.id === id) return null;
  const stack = other.stack_id ?? other.id;
  // It cannot be shown for another in whose stack it is.
  if (stack === id) return null;
  await moveMembers(db, workspaceId, id, stack);
  await db
    .updateTable('media_items')
    .set({ stack_id: stack })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', stack)
    .execute();
  return { stack_id: stack };
}

/** The key of an item that somebody took out of its stack. */
const takenOut = '';

/** The key of an item as its file has it, for an update: one that was taken out stays so. */
export const unlessTakenOut = (key: string | null): RawBuilder<string | null> =>
  sql`case when stack_key = ${takenOut} then stack_key else ${key} end`;

/** Has the next item of a stack shown for the others when the one that was leaves it: one in the trash only where all are. */
export async function passOn(db: Catalog, workspaceId: string, id: string): Promise<void> {
  const next = await db
    .selectFrom('media_items')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('stack_id', '=', id)
    .where('id', '!=', id)
    .orderBy(sql`trashed_at is not null`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (next) await moveMembers(db, workspaceId, id, next.id);
}

/** Another item is shown for those for which this one was. */
const moveMembers = (db: Catalog, workspaceId: string, from: string, to: string) =>
  db
    .updateTable('media_items')
    .set({ stack_id: to })
    .where('workspace_id', '=', workspaceId)
    .where('stack_id', '=', from)
    .execute();
