import type { z } from 'zod';
import type { review as reviewSchema, ReviewState } from '../../../contract/media.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { recordEvent } from '../events/events.ts';
import { findMedia, type MediaRow } from '../media/media-items.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

export type Review = z.output<typeof reviewSchema>;

/** The names of the people who reviewed some items, by person. */
export async function readReviewers(db: Catalog, rows: MediaRow[]): Promise<Map<string, string>> {
  const ids = [...new Set(rows.flatMap(({ review_by }) => review_by ?? []))];
  if (ids.length === 0) return new Map();
  const people = await db
    .selectFrom('people')
    .where('id', 'in', dialectOf(db).textsIn(ids))
    .select(['id', 'name'])
    .execute();
  return new Map(people.map(({ id, name }) => [id, name]));
}

/** The decision on an item as the API shows it. */
export const toReview = (
  { review, review_by, review_at }: Pick<MediaRow, 'review' | 'review_by' | 'review_at'>,
  reviewers: Map<string, string>,
): Review => ({ state: review, by: (review_by === null ? null : reviewers.get(review_by)) ?? null, at: review_at });

/**
 * Decides on an item; the same decision again changes nothing. Undefined when there is no such item.
 * @param by the person who decides; null: a program with a key
 */
export function reviewMedia(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
  state: ReviewState,
  by: string | null,
): Promise<Review | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const media = await findMedia(transaction, workspaceId, mediaId);
    if (!media) return undefined;
    if (media.review === state) return toReview(media, await readReviewers(transaction, [media]));
    const at = new Date().toISOString();
    const decided = {
      review: state,
      ...(state === 'none' ? { review_by: null, review_at: null } : { review_by: by, review_at: at }),
    };
    await transaction
      .updateTable('media_items')
      .set({ ...decided, updated_at: at })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', mediaId)
      .execute();
    const shown = toReview(decided, await readReviewers(transaction, [{ ...media, ...decided }]));
    const { id, filename, type } = media;
    await recordEvent(transaction, workspaceId, 'media.reviewed', { media: { id, filename, type }, review: shown });
    return shown;
  });
}
