import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { MediaFilter } from '../../../contract/filters.ts';
import { packIntegers, unpackNumbers } from '../dialect/binary-arrays.ts';
import { filterConditions, notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';

/** Which chunks of a workspace may be found: those of items that pass a filter, or of one item, and of none in the trash; as conditions and as numbers. */
type Scope = { filter: MediaFilter; mediaId?: string | undefined };

export const allOf = (conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> => sql.join(conditions, sql` and `);

/** Conditions over `media_items`. @param few whether the statement reads few items by their keys, not all that pass */
export const scopeConditions = (
  db: Catalog,
  workspaceId: string,
  { filter, mediaId }: Scope,
  few = true,
): RawBuilder<SqlBool>[] => [
  notInTrash,
  ...(mediaId === undefined ? [] : [sql<SqlBool>`media_items.id = ${mediaId}`]),
  ...filterConditions(db, workspaceId, filter, few),
];

/** Whether a chunk passes, by its number. A scalar, so that it is no join whose order the planner chooses. */
export const chunkPasses = (
  db: Catalog,
  workspaceId: string,
  scope: Scope,
  number: RawBuilder<unknown>,
): RawBuilder<SqlBool> => sql`
  (select true from chunks
    join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id
    where chunks.workspace_id = ${workspaceId} and chunks.number = ${number}
      and ${allOf(scopeConditions(db, workspaceId, scope))})`;

/** The numbers of all chunks that pass with their items, item by item: a join whose order the planner chose might read the chunks of all workspaces. */
export const listedChunks = (
  db: Catalog,
  workspaceId: string,
  scope: Scope,
): RawBuilder<{ number: number; media_id: string }> => sql`
  select own.number, media_items.id as media_id from media_items
  cross join lateral (select number from chunks
    where chunks.workspace_id = ${workspaceId} and chunks.media_id = media_items.id offset 0) own
  where media_items.workspace_id = ${workspaceId} and ${allOf(scopeConditions(db, workspaceId, scope, false))}`;

/** The numbers of all chunks of items in the trash. */
export const trashedChunks = (workspaceId: string): RawBuilder<{ number: number }> => sql`
  select chunks.number from media_items
  join chunks on chunks.workspace_id = media_items.workspace_id and chunks.media_id = media_items.id
  where media_items.workspace_id = ${workspaceId} and media_items.trashed_at is not null`;

/** Those of some chunks that pass. */
export async function findPassing(
  db: Catalog,
  workspaceId: string,
  scope: Scope,
  numbers: ArrayLike<number>,
): Promise<Set<number>> {
  if (numbers.length === 0) return new Set();
  const { rows } = await sql<{ numbers: Buffer | null }>`
    select array_send(array_agg(number)) as numbers from unnest(${packIntegers(numbers)}::bigint[]) wanted (number)
    where ${chunkPasses(db, workspaceId, scope, sql`wanted.number`)}`.execute(db);
  return new Set(unpackNumbers(rows[0]?.numbers ?? null));
}

/** All chunks that pass, where they are few. @returns null where more than `most` do */
export async function listPassing(
  db: Catalog,
  workspaceId: string,
  scope: Scope,
  most: number,
): Promise<Set<number> | null> {
  const { rows } = await sql<{ numbers: Buffer | null }>`
    select array_send(array_agg(number)) as numbers from (
      ${listedChunks(db, workspaceId, scope)} limit ${most + 1}) passing`.execute(db);
  const numbers = unpackNumbers(rows[0]?.numbers ?? null);
  return numbers.length > most ? null : new Set(numbers);
}
