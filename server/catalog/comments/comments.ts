import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type Comment, type CommentBody, type CommentChanges, maxComments } from '../../../contract/comments.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { recordEvent } from '../events/events.ts';
import type { MediaRow } from '../media/media-items.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { listMentionsOf, storeMentions } from './mentions.ts';

/**
 * Comments on items. They go with their item, stay with it in the trash, and each change is an event. A person is shown by their present
 * name; a key and a guest by the name of that time.
 */

type CommentRow = Selectable<Database['comments']>;

/** Who writes: a person, a program with a key, or a guest of a public link. */
export type Author = { person_id?: string; key_id?: string; share_id?: string; author_name: string };

const now = (): string => new Date().toISOString();

const selectComments = (db: Catalog, workspaceId: string) =>
  db
    .selectFrom('comments')
    .leftJoin('people as author', 'author.id', 'comments.person_id')
    .leftJoin('people as resolver', 'resolver.id', 'comments.resolved_by')
    .where('comments.workspace_id', '=', workspaceId)
    .selectAll('comments')
    .select(['author.name as person_name', 'resolver.name as resolver_name']);

type SelectedComment = CommentRow & { person_name: string | null; resolver_name: string | null };

/** Comments as the API shows them. */
async function toComments(db: Catalog, workspaceId: string, rows: SelectedComment[]): Promise<Comment[]> {
  const mentions = await listMentionsOf(
    db,
    workspaceId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    media_id: row.media_id,
    parent_id: row.parent_id,
    author: {
      kind: row.person_id ? 'member' : row.key_id ? 'key' : 'guest',
      id: row.person_id ?? row.key_id,
      name: row.person_name ?? row.author_name,
    },
    text: row.body,
    start: row.start_time,
    end: row.end_time,
    point: row.point_x === null || row.point_y === null ? null : { x: row.point_x, y: row.point_y },
    mentions: mentions.get(row.id) ?? [],
    resolved: row.resolved_at === null ? null : { at: row.resolved_at, by: row.resolver_name },
    created_at: row.created_at,
    edited_at: row.edited_at,
  }));
}

/** One page of the comments on an item, the oldest first, and how many there are on all pages. */
export async function listComments(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
  { page, per_page }: { page: number; per_page: number },
): Promise<{ comments: Comment[]; total: number }> {
  const rows = await selectComments(db, workspaceId)
    .where('comments.media_id', '=', mediaId)
    .orderBy('comments.created_at')
    .orderBy('comments.id')
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  const { total } = await db
    .selectFrom('comments')
    .where('workspace_id', '=', workspaceId)
    .where('media_id', '=', mediaId)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { comments: await toComments(db, workspaceId, rows), total };
}

/** Comments by their identifiers, in the order of these. */
export async function readComments(db: Catalog, workspaceId: string, ids: string[]): Promise<Comment[]> {
  if (ids.length === 0) return [];
  const rows = await selectComments(db, workspaceId).where('comments.id', 'in', dialectOf(db).textsIn(ids)).execute();
  const comments = new Map((await toComments(db, workspaceId, rows)).map((comment) => [comment.id, comment]));
  return ids.flatMap((id) => comments.get(id) ?? []);
}

/** A comment on an item that is not in the trash. */
export async function findComment(
  db: Catalog,
  workspaceId: string,
  id: string,
): Promise<(Comment & { key_id: string | null }) | undefined> {
  const row = await selectComments(db, workspaceId)
    .innerJoin('media_items', (join) =>
      join
        .onRef('media_items.workspace_id', '=', 'comments.workspace_id')
        .onRef('media_items.id', '=', 'comments.media_id'),
    )
    .where('media_items.trashed_at', 'is', null)
    .where('comments.id', '=', id)
    .executeTakeFirst();
  const [comment] = row ? await toComments(db, workspaceId, [row]) : [];
  return comment && row && { ...comment, key_id: row.key_id };
}

/** How many comments some items have, and how many of them are open: not resolved, without replies. Items without any are left out. */
export async function countComments(
  db: Catalog,
  workspaceId: string,
  mediaIds: string[],
): Promise<Map<string, { total: number; open: number }>> {
  if (mediaIds.length === 0) return new Map();
  const { rows } = await sql<{ media_id: string; total: number; open: number }>`
    select media_id, count(*) as total, count(case when parent_id is null and resolved_at is null then 1 end) as open
    from comments where workspace_id = ${workspaceId} and media_id in ${dialectOf(db).textsIn(mediaIds)}
    group by media_id`.execute(db);
  return new Map(rows.map(({ media_id, total, open }) => [media_id, { total, open }]));
}

const eventOf = ({ id, filename, type }: MediaRow, comment: Comment) => ({ media: { id, filename, type }, comment });

type Shown = Pick<CommentBody, 'text' | 'parent_id' | 'start' | 'end' | 'point' | 'mentions'>;

/** Stores a comment. `full`: the item has as many as it may; `no parent`: what it replies to is no comment of the item, or a reply. */
export function createComment(
  db: Catalog,
  media: MediaRow,
  { text, parent_id = null, start = null, end = null, point = null, mentions = [] }: NullableFields<Shown>,
  author: Author,
): Promise<Comment | 'full' | 'no parent'> {
  const { workspace_id, id: media_id } = media;
  return inWorkspace(db, workspace_id, async (transaction) => {
    const counts = await countComments(transaction, workspace_id, [media_id]);
    if ((counts.get(media_id)?.total ?? 0) >= maxComments) return 'full';
    if (author.share_id !== undefined && (await countOfGuests(transaction, media)) >= maxOfGuests) return 'full';
    if (parent_id !== null) {
      const [parent] = await readComments(transaction, workspace_id, [parent_id]);
      if (parent?.media_id !== media_id || parent.parent_id !== null) return 'no parent';
    }
    const id = randomUUIDv7();
    const place = {
      start_time: start,
      end_time: end,
      point_x: point?.x ?? null,
      point_y: point?.y ?? null,
    };
    await transaction
      .insertInto('comments')
      .values({ workspace_id, media_id, id, parent_id, ...place, body: text, ...author, created_at: now() })
      .execute();
    await storeMentions(transaction, { workspace_id, media_id, comment_id: id }, mentions ?? [], author.person_id);
    const [comment] = (await readComments(transaction, workspace_id, [id])) as [Comment];
    await recordEvent(transaction, workspace_id, 'comment.created', eventOf(media, comment));
    return comment;
  });
}

/** Guests of however many links leave the other half to members. */
const maxOfGuests = maxComments / 2;

async function countOfGuests(db: Catalog, { workspace_id, id }: MediaRow): Promise<number> {
  const { count } = await db
    .selectFrom('comments')
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .where('share_id', 'is not', null)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type NullableFields<Fields> = { [Key in keyof Fields]: Fields[Key] | (undefined extends Fields[Key] ? null : never) };

/** Changes a comment. @param by the person who does it; null: a program with a key */
export function changeComment(
  db: Catalog,
  media: MediaRow,
  before: Comment,
  { text, mentions, resolved }: CommentChanges,
  by: string | null,
): Promise<Comment | undefined> {
  const { workspace_id, id: media_id } = media;
  return inWorkspace(db, workspace_id, async (transaction) => {
    const isNew = text !== undefined && text !== before.text;
    await transaction
      .updateTable('comments')
      .set({
        ...(isNew ? { body: text, edited_at: now() } : {}),
        ...(resolved === undefined || resolved === (before.resolved !== null)
          ? {}
          : { resolved_at: resolved ? now() : null, resolved_by: resolved ? by : null }),
        // A statement needs one column at least.
        author_name: before.author.name,
      })
      .where('workspace_id', '=', workspace_id)
      .where('id', '=', before.id)
      .execute();
    if (mentions) await storeMentions(transaction, { workspace_id, media_id, comment_id: before.id }, mentions, by);
    const [comment] = await readComments(transaction, workspace_id, [before.id]);
    if (comment) await recordEvent(transaction, workspace_id, 'comment.updated', eventOf(media, comment));
    return comment;
  });
}

/** Deletes a comment with its replies and their mentions. */
export function deleteComment(db: Catalog, media: MediaRow, comment: Comment): Promise<void> {
  const { workspace_id } = media;
  return inWorkspace(db, workspace_id, async (transaction) => {
    const gone = await transaction
      .deleteFrom('comments')
      .where('workspace_id', '=', workspace_id)
      .where((e) => e.or([e('id', '=', comment.id), e('parent_id', '=', comment.id)]))
      .returning('id')
      .execute();
    if (gone.length === 0) return;
    await transaction
      .deleteFrom('comment_mentions')
      .where('workspace_id', '=', workspace_id)
      .where('comment_id', 'in', dialectOf(db).textsIn(gone.map(({ id }) => id)))
      .execute();
    await recordEvent(transaction, workspace_id, 'comment.deleted', eventOf(media, comment));
  });
}

/** All comments on an item, the oldest first. */
export async function listAllComments(db: Catalog, workspaceId: string, mediaId: string): Promise<Comment[]> {
  return (await listComments(db, workspaceId, mediaId, { page: 1, per_page: maxComments })).comments;
}
