import type { Generated } from 'kysely';
import type { MediaChange } from '../../../contract/media-changes.ts';

/** Changes of many items at once; see `../changes/change-rows.ts`. */
export type ChangeTables = {
  media_changes: {
    workspace_id: string;
    id: string;
    /** `ChangeOfItems` as JSON; of an undo that of the change that it sets back. */
    change: string;
    /** The change that this one sets back; null: none. */
    undoes: string | null;
    state: MediaChange['state'];
    /** How many items it is about. Those that are through are the first ones by position. */
    total: number;
    done: Generated<number>;
    skipped: Generated<number>;
    failed: Generated<number>;
    created_at: string;
    ended_at: string | null;
  };
  /** The items of a change, fixed when it began. They are kept when an item is deleted. */
  media_change_items: {
    workspace_id: string;
    change_id: string;
    /** From 1. */
    position: number;
    media_id: string;
    /** What became of it; null: it is not its turn yet. */
    outcome: 'done' | 'skipped' | 'failed' | null;
    /** What the change did to it, as JSON; of an undo what it sets back. */
    before: string | null;
  };
};
