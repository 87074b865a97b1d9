import type { ChangeOfItems } from '../../../contract/media-changes.ts';
import type { FormerMember, GroupKind } from '../labels/members.ts';

/** The fields of an item that a change sets. */
export const changedFields = ['creator_id', 'category_id', 'rating'] as const;
export type ChangedFields = Partial<Pick<ChangeOfItems, (typeof changedFields)[number]>>;

/** What a change did to one item, so that it can be set back. It has what was changed only. */
export type Before = {
  /** The fields that had another value, with that. */
  fields?: ChangedFields;
  /** Tags and collections that it got. */
  added?: Partial<Record<GroupKind, string[]>>;
  /** Those that it lost, and how it was in them. */
  removed?: Partial<Record<GroupKind, (Omit<FormerMember, 'media_id'> & { id: string })[]>>;
  /** When it was moved to the trash. */
  trashed_at?: string;
  /** When it had been moved to the trash that it left. */
  restored_from?: string;
};

/** What became of an item. */
export type Outcome = { outcome: 'done' | 'skipped' | 'failed'; before: Before | null };

export const skipped: Outcome = { outcome: 'skipped', before: null };
