import type { Generated, GeneratedAlways } from 'kysely';
import type { IndexingStage, MediaStatus, MediaType, ReviewState } from '../../../contract/media.ts';
import type { ShareComments, ShareDownload } from '../../../contract/shares.ts';
import type { OriginalProblem } from '../../assets/check-original.ts';

/** Items, their totals, their public links, and what remains to be done when they change or go. */
export type MediaTables = {
  media_items: {
    workspace_id: string;
    id: string;
    filename: string;
    type: MediaType;
    status: MediaStatus;
    stage: IndexingStage | null;
    fraction: number | null;
    error_code: string | null;
    error_message: string | null;
    /** Warnings of indexing about a file that could be indexed. */
    warning_code: string | null;
    warning_message: string | null;
    creator_id: string | null;
    category_id: string | null;
    /** Stars; 0: not rated. */
    rating: Generated<number>;
    /** What a review decided, the person who did (null: a program with a key), and when. */
    review: Generated<ReviewState>;
    review_by: string | null;
    review_at: string | null;
    duration: number | null;
    width: number | null;
    height: number | null;
    size: number;
    mime_type: string;
    /** Of an item that is indexed in place, which is not read whole: `source:` and its identifier. */
    sha256: string;
    /** Title, artist, comment and the like of a video's container, by which it is found; '' if there are none, and until it is indexed. */
    tags: Generated<string>;
    /** The source that it is indexed in place in, its path there, and the folder of that; null: it was uploaded. */
    source_id: string | null;
    source_path: string | null;
    folder: string | null;
    /** When it was recorded; where the time zone is unknown, the local clock time as if it were UTC. Null: unknown. */
    taken_at: string | null;
    /** The time zone of `taken_at`, such as `+02:00`; null: unknown. */
    taken_zone: string | null;
    /** The clock time where it was recorded, `YYYY-MM-DDTHH:MM:SS.sss`, from the two above. */
    taken_local: GeneratedAlways<string | null>;
    /** What the tag said, and the name of the tag. */
    taken_text: string | null;
    taken_source: string | null;
    /** Make and model. */
    camera: string | null;
    lens: string | null;
    /** Of a video, as FFmpeg names it; frames per second. */
    codec: string | null;
    frame_rate: number | null;
    /** Whether it has a track of sound; null: not read yet from `details`, from which the three above come too. */
    sound: 'yes' | 'no' | null;
    /** Degrees, WGS 84; both or neither. */
    latitude: number | null;
    longitude: number | null;
    /** City, region and country: as the file names them, otherwise the nearest place to the position. */
    place: string | null;
    /** `MediaDetails` as JSON; null: not read yet. */
    details: string | null;
    /** The item that is shown for it and those that stand with it, maybe itself; null: it stands alone. */
    stack_id: string | null;
    /** What its file says it belongs to, such as `live:…`; null: nothing. */
    stack_key: string | null;
    chunk_count: Generated<number>;
    /** File names within the item's rendition folder. */
    poster_file: string | null;
    /** ThumbHash of the poster in base64; null for items of versions without placeholders. */
    placeholder: string | null;
    rendition_file: string | null;
    /** Fencing token of the attempt whose renditions are used; null for items of versions without tokens. */
    renditions_token: number | null;
    rendition_mime_type: string | null;
    /** The problem that the last check of the original found; null: it is as it was uploaded. */
    original_problem: OriginalProblem | null;
    /** When its bytes were last compared with `sha256`; null: not since the upload. */
    original_checked_at: string | null;
    created_at: string;
    updated_at: string;
    indexed_at: string | null;
    /** When it was moved to the trash; null: it is not there. */
    trashed_at: string | null;
  };
  /** Totals of the items of a workspace with a status and a type, kept by triggers. A row may count no items. */
  media_totals: {
    workspace_id: string;
    status: MediaStatus;
    type: MediaType;
    items: number;
    bytes: number;
    /** Sum of the durations, each rounded. */
    microseconds: number;
    chunks: number;
  };
  /** The same of the items in the trash, which `media_totals` counts too. */
  trash_totals: MediaTables['media_totals'] & {
    /** Grows with each item that moves into the trash or out of it. */
    moves: number;
  };
  /** Public links. */
  shares: {
    workspace_id: string;
    id: string;
    /** SHA-256 of the token, hexadecimal: how a request finds the link. */
    token_hash: string;
    /** The encrypted token, so that a member can copy the link. */
    sealed: Uint8Array;
    /** What it leads to: an item, a collection, or with neither a selection of items (`share_items`). */
    media_id: string | null;
    collection_id: string | null;
    /** Of the moment, seconds; null: the whole item. */
    start_time: number | null;
    end_time: number | null;
    /** What the page is called; null: nothing that the item says. */
    title: string | null;
    /** The person who was signed in; null: a script with a key. */
    created_by: string | null;
    created_at: string;
    expires_at: string;
    views: Generated<number>;
    downloads: Generated<number>;
    /** What the page says below its title. */
    note: string | null;
    /** What visitors may store. */
    download: Generated<ShareDownload>;
    /** What visitors may do with the comments on the items. */
    comments: Generated<ShareComments>;
    /** As those of accounts; null: the link is enough. */
    password_hash: string | null;
  };
  /** The items of a link to a selection, in their order. */
  share_items: { workspace_id: string; share_id: string; media_id: string; position: number };
  /** One row for each item, deleted ones included, written by triggers; see `../media/item-changes.ts`. */
  item_changes: {
    /** Larger than all before it. */
    sequence: Generated<number>;
    workspace_id: string;
    media_id: string;
  };
  /** Deleted items whose files may still be on disk. */
  pending_removals: { workspace_id: string; media_id: string; created_at: string };
};
