import type { MediaType } from '../../../contract/media.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';

/** The members whom comments are to reach, and what they have not seen yet. */

/** Most mentions that are listed at a time. */
const maxListed = 50;

type Place = { workspace_id: string; media_id: string; comment_id: string };

/** Sets whom a comment mentions: members of the workspace. What they saw stays seen, and who writes need not be told. */
export async function storeMentions(
  transaction: Catalog,
  place: Place,
  personIds: readonly string[],
  writer: string | null | undefined,
): Promise<void> {
  const { textsIn } = dialectOf(transaction);
  const of = { workspace_id: place.workspace_id, comment_id: place.comment_id };
  const before = await transaction
    .selectFrom('comment_mentions')
    .where('workspace_id', '=', of.workspace_id)
    .where('comment_id', '=', of.comment_id)
    .select('person_id')
    .execute();
  const members =
    personIds.length === 0
      ? []
      : await transaction
          .selectFrom('memberships')
          .where('workspace_id', '=', of.workspace_id)
          .where('person_id', 'in', textsIn([...personIds]))
          .select('person_id')
          .execute();
  const wanted = new Set(members.map(({ person_id }) => person_id));
  const known = new Set(before.map(({ person_id }) => person_id));
  const gone = [...known].filter((id) => !wanted.has(id));
  if (gone.length > 0) {
    await transaction
      .deleteFrom('comment_mentions')
      .where('workspace_id', '=', of.workspace_id)
      .where('comment_id', '=', of.comment_id)
      .where('person_id', 'in', textsIn(gone))
      .execute();
  }
  const added = [...wanted].filter((id) => !known.has(id));
  if (added.length === 0) return;
  const seen = new Date().toISOString();
  await transaction
    .insertInto('comment_mentions')
    .values(added.map((person_id) => ({ ...place, person_id, seen_at: person_id === writer ? seen : null })))
    .execute();
}

/** Whom some comments mention, by comment. */
export async function listMentionsOf(
  db: Catalog,
  workspaceId: string,
  commentIds: string[],
): Promise<Map<string, { id: string; name: string }[]>> {
  if (commentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('comment_mentions')
    .innerJoin('people', 'people.id', 'comment_mentions.person_id')
    .where('comment_mentions.workspace_id', '=', workspaceId)
    .where('comment_mentions.comment_id', 'in', dialectOf(db).textsIn(commentIds))
    .select(['comment_mentions.comment_id', 'people.id', 'people.name'])
    .orderBy('people.name')
    .execute();
  const mentions = new Map<string, { id: string; name: string }[]>();
  for (const { comment_id, ...person } of rows) mentions.set(comment_id, [...(mentions.get(comment_id) ?? []), person]);
  return mentions;
}

/** A mention that a person has not seen, with what its item is called. */
export type UnseenMention = {
  comment_id: string;
  media_id: string;
  filename: string;
  type: MediaType;
  poster_file: string | null;
};

/** The latest mentions that a person has not seen, the newest first. Those on items in the trash wait there. */
export function listUnseen(db: Catalog, workspaceId: string, personId: string): Promise<UnseenMention[]> {
  return db
    .selectFrom('comment_mentions')
    .innerJoin('media_items', (join) =>
      join
        .onRef('media_items.workspace_id', '=', 'comment_mentions.workspace_id')
        .onRef('media_items.id', '=', 'comment_mentions.media_id'),
    )
    .where('comment_mentions.workspace_id', '=', workspaceId)
    .where('comment_mentions.person_id', '=', personId)
    .where('comment_mentions.seen_at', 'is', null)
    .where(notInTrash)
    .select([
      'comment_mentions.comment_id',
      'comment_mentions.media_id',
      'media_items.filename',
      'media_items.type',
      'media_items.poster_file',
    ])
    .orderBy('comment_mentions.comment_id', 'desc')
    .limit(maxListed)
    .execute();
}

/** Notes that a person saw what mentions them, on one item or everywhere. @returns how many were new */
export async function seeMentions(
  db: Catalog,
  { workspaceId, personId }: { workspaceId: string; personId: string },
  mediaId: string | undefined,
): Promise<number> {
  let unseen = db
    .updateTable('comment_mentions')
    .set({ seen_at: new Date().toISOString() })
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', personId)
    .where('seen_at', 'is', null);
  if (mediaId !== undefined) unseen = unseen.where('media_id', '=', mediaId);
  const { numUpdatedRows } = await unseen.executeTakeFirst();
  return Number(numUpdatedRows);
}
