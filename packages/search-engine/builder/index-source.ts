import type { LabelColumn, ListColumn, NumberColumn } from '../../../contract/fields.ts';
import type { SegmentSource, TextSource } from '../../../contract/texts.ts';

/** A chunk as an index holds it: its span in seconds, and what is said and written in it. */
export type ChunkForIndex = {
  number: number;
  start_time: number;
  end_time: number;
  texts: { source: SegmentSource; text: string }[];
};

/** A passage of a text that has a vector by what it means. It belongs to a chunk of its item. */
export type PassageForIndex = { number: number; chunk: number; source: TextSource };

/** An item as an index holds it, with its chunks in the order of their numbers. */
export type ItemForIndex = Record<LabelColumn, string | null> &
  Record<ListColumn, string[]> &
  /** Times are milliseconds since 1970. */
  Record<NumberColumn, number | null> & {
    id: string;
    filename: string;
    tags: string;
    chunks: ChunkForIndex[];
    passages: PassageForIndex[];
  };

/** An item that changed, or was deleted, with the sequence of its last change. */
export type ItemChange = { sequence: number; media_id: string };

/** A position in the history of what an index follows: where an older copy was put back, the position is on no timeline of it. */
export type ChangePosition = {
  timeline: string;
  /** The sequence of a change, in any workspace. */
  change: number;
};

/** What an index follows: a record of changes, with the items, chunks and vectors that it names. */
export type IndexSource = {
  /** About how many chunks a workspace has. */
  countChunks(workspaceId: string): Promise<number>;
  /** The sequence of the last change of a workspace; 0 before the first. */
  readLastChange(workspaceId: string): Promise<number>;
  /** The items of a workspace that changed after `sequence`, in the order of their last changes, at most `limit`. */
  listChangesAfter(workspaceId: string, sequence: number, limit: number): Promise<ItemChange[]>;
  /** Those of some items that are to be found, in no particular order. */
  readItems(workspaceId: string, ids: string[]): Promise<ItemForIndex[]>;
  /** The vectors of chunks by their numbers; chunks without one are left out. */
  readVectors(workspaceId: string, embedderId: string, numbers: number[]): Promise<Map<number, Float32Array>>;
  /** The vectors of passages by their numbers: 384 dimensions, unit length. */
  readPassageVectors(workspaceId: string, numbers: number[]): Promise<Map<number, Float32Array>>;
  /**
   * What tells the source from its copies: another value means that it was put back, or that another copy has taken its place, and may lack changes that an index holds. From then on
   * earlier positions are not in its history.
   */
  readIdentity(): Promise<string>;
  /** The identifier of the current timeline. */
  readTimeline(): Promise<string>;
  /** Whether a position is in the history of this source. */
  isInHistory(position: ChangePosition): Promise<boolean>;
};
