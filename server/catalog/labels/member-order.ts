import { sql } from 'kysely';
import type { CollectionMoves } from '../../../contract/item-groups.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { findGroups, touchCollection } from './members.ts';

/**
 * The order of a collection. A place is a number between those of its neighbours. Items that were never moved have none and are in the order in
 * which they were added, behind all others; the first move numbers all.
 */

/** Two places that are nearer to each other are numbered again: fractions end somewhere. */
const leastGap = 1e-6;

type Place = { media_id: string; position: number | null };
type Move = CollectionMoves['moves'][number];

/**
 * Moves items within a collection, one move after the other.
 * @returns the moves that set it back; the move whose `before_id` is in no place; undefined when there is no such collection
 */
export function moveMembers(
  db: Catalog,
  workspaceId: string,
  id: string,
  { moves }: CollectionMoves,
): Promise<CollectionMoves | { unknown: number } | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    if (!(await findGroups(transaction, 'collections', workspaceId, [id])).has(id)) return undefined;
    const back: Move[] = [];
    let order = await readOrder(transaction, workspaceId, id);
    if (order.some(({ position }) => position === null)) order = await number(transaction, workspaceId, id);
    for (const [i, move] of moves.entries()) {
      const planned = planMove(order, move);
      if (!planned) return { unknown: i };
      if (planned.moved.length === 0) continue;
      back.unshift(...planned.back);
      await place(transaction, workspaceId, id, planned.moved);
      order = planned.isTight ? await number(transaction, workspaceId, id) : planned.order;
    }
    if (back.length > 0) await touchCollection(transaction, workspaceId, id);
    return { moves: back };
  });
}

/** Where the items of a move come to be. Undefined: `before_id` is not among those that stay. */
function planMove(
  order: readonly Place[],
  { media_ids, before_id }: Move,
): { order: Place[]; moved: { media_id: string; position: number }[]; back: Move[]; isTight: boolean } | undefined {
  const present = new Set(order.map(({ media_id }) => media_id));
  const moving = new Set(media_ids.filter((id) => present.has(id)));
  const staying = order.filter(({ media_id }) => !moving.has(media_id));
  const at = before_id === null ? staying.length : staying.findIndex(({ media_id }) => media_id === before_id);
  if (at < 0) return undefined;
  const low = staying[at - 1]?.position ?? (staying[at]?.position ?? 0) - moving.size - 1;
  const high = staying[at]?.position ?? low + moving.size + 1;
  const step = (high - low) / (moving.size + 1);
  const moved = [...moving].map((media_id, i) => ({ media_id, position: low + step * (i + 1) }));
  return {
    order: [...staying.slice(0, at), ...moved, ...staying.slice(at)],
    moved,
    back: findWayBack(order, moving),
    isTight: step < leastGap,
  };
}

/** The moves that bring items back to where they are: each run of them before the item that follows it, the last run first. */
function findWayBack(order: readonly Place[], moving: ReadonlySet<string>): Move[] {
  const back: Move[] = [];
  let run: string[] = [];
  const end = (before_id: string | null) => {
    if (run.length > 0) back.push({ media_ids: run, before_id });
    run = [];
  };
  for (const { media_id } of order) {
    if (moving.has(media_id)) run.push(media_id);
    else end(media_id);
  }
  end(null);
  return back;
}

const inOrder = sql`position is null, position, added_at, media_id`;

async function readOrder(db: Catalog, workspaceId: string, id: string): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select media_id, position from collection_items
    where ${dialectOf(db).withoutIndex('workspace_id')} = ${workspaceId} and collection_id = ${id} order by ${inOrder}`.execute(
    db,
  );
  return rows;
}

/** Numbers all items of a collection from 1, in their order. */
async function number(transaction: Catalog, workspaceId: string, id: string): Promise<Place[]> {
  const own = sql`${dialectOf(transaction).withoutIndex('collection_items.workspace_id')} = ${workspaceId}
    and collection_items.collection_id = ${id}`;
  await sql`
    with numbered (media_id, place) as materialized (
      select media_id, row_number() over (order by ${inOrder}) from collection_items where ${own}
    )
    update collection_items set position = numbered.place from numbered
    where ${own} and collection_items.media_id = numbered.media_id`.execute(transaction);
  return readOrder(transaction, workspaceId, id);
}

async function place(
  transaction: Catalog,
  workspaceId: string,
  id: string,
  moved: { media_id: string; position: number }[],
): Promise<void> {
  const { rowsIn, withoutIndex } = dialectOf(transaction);
  await sql`
    with moved (media_id, place) as materialized (${rowsIn({ media_id: 'text', position: 'real' }, moved)})
    update collection_items set position = moved.place from moved
    where ${withoutIndex('collection_items.workspace_id')} = ${workspaceId} and collection_items.collection_id = ${id}
      and collection_items.media_id = moved.media_id`.execute(transaction);
}
