import { type Relation, type SharedSpan, turnRelation } from '@media-search/indexing/reuse/relate';
import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import { type ClaimedJob, endJob } from '../queue/job-queue.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

/** Pairs of items that show the same. */

/** An item in which another one is used, and how it relates to that. */
export type Copy = { otherId: string; relation: Relation };

/** The chunks of an item that say something, with their vectors' numbers, in order of time. */
export const listComparedChunks = (db: Catalog, workspaceId: string, mediaId: string) =>
  db
    .selectFrom('chunks')
    .select(['number', 'start_time as start', 'end_time as end'])
    .where('workspace_id', '=', workspaceId)
    .where('media_id', '=', mediaId)
    .where('blank', '=', 0)
    .orderBy('position')
    .execute();

/** Where chunks lie in their items, by their numbers; without those that say nothing or do not exist. */
export async function readChunkSpans(db: Catalog, workspaceId: string, numbers: number[]) {
  const { withoutIndex, numbersIn } = dialectOf(db);
  const rows = await db
    .selectFrom('chunks')
    .select(['number', 'media_id', 'start_time as start', 'end_time as end'])
    // Numbers are looked up by their key, not among all chunks of the workspace.
    .where(withoutIndex('workspace_id'), '=', workspaceId)
    .where('number', 'in', numbersIn(numbers))
    .where('blank', '=', 0)
    .execute();
  return new Map(rows.map(({ number, ...span }) => [number, span]));
}

/** Which of some items wait to be compared: nobody has begun. */
export async function listWaiting(db: Catalog, workspaceId: string, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('media_id')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'copies')
    .where('lease_owner', 'is', null)
    .where('media_id', 'in', dialectOf(db).textsIn(ids))
    .execute();
  return rows.map(({ media_id }) => media_id);
}

/**
 * Puts what was found of an item in the place of what was found before, and ends its job. What a person said of a pair stays.
 * @param left items with which it was not compared, because they are compared with it: what is known of these pairs stays
 * @returns false, storing nothing, when the lease is lost
 */
export function storeCopies(
  db: Catalog,
  job: ClaimedJob<'copies'>,
  { copies, left }: { copies: Copy[]; left: string[] },
): Promise<boolean> {
  return endJob(db, job, async (transaction) => {
    const present = await transaction
      .selectFrom('media_items')
      .select('id')
      .where('workspace_id', '=', job.workspace_id)
      .where('id', 'in', dialectOf(transaction).textsIn([job.id, ...copies.map(({ otherId }) => otherId)]))
      .execute();
    const ids = new Set(present.map(({ id }) => id));
    if (!ids.has(job.id)) return;
    const kept = copies.filter(({ otherId }) => ids.has(otherId));
    await transaction
      .deleteFrom('item_copies')
      .where('workspace_id', '=', job.workspace_id)
      .where((e) =>
        e.or([
          e('media_id', '=', job.id).and('other_id', 'not in', dialectOf(transaction).textsIn(left)),
          e('other_id', '=', job.id).and('media_id', 'not in', dialectOf(transaction).textsIn(left)),
        ]),
      )
      .where('dismissed_at', 'is', null)
      .execute();
    for (const { otherId, relation } of kept) {
      const isFirst = job.id < otherId;
      const { kind, spans, score } = isFirst ? relation : turnRelation(relation);
      await transaction
        .insertInto('item_copies')
        .values({
          workspace_id: job.workspace_id,
          media_id: isFirst ? job.id : otherId,
          other_id: isFirst ? otherId : job.id,
          kind,
          spans: JSON.stringify(spans),
          score,
          found_at: new Date().toISOString(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
}

/**
 * Whether what was found of two items counts: neither is in the trash, or about to be indexed again because its file changed, and they are in different
 * stacks, or in none: the photographs of a burst are one item already.
 */
const doesCount = sql<boolean>`(one.status = 'complete' and one.trashed_at is null
  and other.status = 'complete' and other.trashed_at is null
  and (one.stack_id is null or other.stack_id is null or one.stack_id <> other.stack_id))`;

type CopyRow = Selectable<Database['item_copies']>;

/** The same as of one of its items. */
function toCopy(row: CopyRow, mediaId: string): Copy {
  const relation = { kind: row.kind, score: row.score, spans: JSON.parse(row.spans) as Relation['spans'] };
  return row.media_id === mediaId
    ? { otherId: row.other_id, relation }
    : { otherId: row.media_id, relation: turnRelation(relation) };
}

/** What begins or ends so many other items, too, is an intro or the credits of a series: it is in none of them on purpose. */
const maxOverlaps = 4;
const edgeSeconds = 1.5;

/** The items in which an item is used, the surest first; without what does not count, what was dismissed, and what begins or ends many items. */
export async function listCopies(db: Catalog, workspaceId: string, mediaId: string): Promise<Copy[]> {
  const { rows } = await sql<CopyRow & { own_duration: number | null; other_duration: number | null }>`
    select item_copies.*, one.duration as own_duration, other.duration as other_duration from item_copies
    join media_items other on other.workspace_id = item_copies.workspace_id
      and other.id = case when media_id = ${mediaId} then other_id else media_id end
    join media_items one on one.workspace_id = item_copies.workspace_id and one.id = ${mediaId}
    where item_copies.workspace_id = ${workspaceId} and (media_id = ${mediaId} or other_id = ${mediaId})
      and dismissed_at is null and ${doesCount}
    order by score desc, media_id, other_id
  `.execute(db);
  const copies = rows.map((row) => {
    const { otherId, relation } = toCopy(row, mediaId);
    const isAtEdge = ({ a, b }: SharedSpan): boolean =>
      (a.start <= edgeSeconds && b.start <= edgeSeconds) ||
      (a.end >= (row.own_duration ?? 0) - edgeSeconds && b.end >= (row.other_duration ?? 0) - edgeSeconds);
    return { otherId, relation, edges: relation.kind === 'overlaps' ? relation.spans.filter(isAtEdge) : [] };
  });
  const edges = copies.flatMap((copy) => copy.edges);
  const isCommon = ({ a }: SharedSpan): boolean =>
    edges.filter((edge) => Math.min(a.end, edge.a.end) - Math.max(a.start, edge.a.start) > 0.5 * (a.end - a.start))
      .length >= maxOverlaps;
  return copies.flatMap(({ otherId, relation, edges: own }) => {
    const spans = relation.spans.filter((span) => !own.includes(span) || !isCommon(span));
    return spans.length > 0 || own.length === 0 ? [{ otherId, relation: { ...relation, spans } }] : [];
  });
}

/** Groups of items that are the same or versions of one another, the newest group first, each by identifier. */
export async function listDuplicateGroups(db: Catalog, workspaceId: string): Promise<string[][]> {
  const { rows } = await sql<{ media_id: string; other_id: string }>`
    select media_id, other_id from item_copies
    join media_items one on one.workspace_id = item_copies.workspace_id and one.id = media_id
    join media_items other on other.workspace_id = item_copies.workspace_id and other.id = other_id
    where item_copies.workspace_id = ${workspaceId} and kind in ('same', 'version') and dismissed_at is null and ${doesCount}
    order by media_id, other_id
  `.execute(db);
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
      root = parent;
    parents.set(id, root);
    return root;
  };
  for (const { media_id, other_id } of rows) parents.set(rootOf(media_id), rootOf(other_id));
  const groups = Map.groupBy([...parents.keys()], rootOf);
  return [...groups.values()]
    .map((ids) => ids.toSorted())
    .toSorted((a, b) => ((a.at(-1) ?? '') < (b.at(-1) ?? '') ? 1 : -1));
}

/** Notes of all pairs among some items that they are not the same, or takes that back. @returns how many pairs that are */
export function dismissCopies(db: Catalog, workspaceId: string, ids: string[], isDismissed: boolean): Promise<number> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('item_copies')
      .set({ dismissed_at: isDismissed ? new Date().toISOString() : null })
      .where('workspace_id', '=', workspaceId)
      .where('media_id', 'in', dialectOf(transaction).textsIn(ids))
      .where('other_id', 'in', dialectOf(transaction).textsIn(ids))
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
}
