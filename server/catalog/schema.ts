import type { Generated, GeneratedAlways, Kysely } from 'kysely';
import type { Role } from '../../contract/accounts.ts';
import type { IndexingStage, MediaStatus, MediaType } from '../../contract/media.ts';
import type { SegmentSource } from '../../contract/texts.ts';
import type { Limits } from '../../contract/workspace.ts';
import type { OriginalProblem } from '../assets/check-original.ts';
import type { EventTables } from './event-tables.ts';
import type { JobKind } from './job-queue.ts';
import type { SavedSearchTables } from './saved-search-tables.ts';
import type { UploadTables } from './upload-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

/** The sources that are recognised by jobs of their own. */
export type ExtractionSource = Extract<SegmentSource, 'ocr' | 'speech'>;

/** Times are RFC 3339 strings in UTC, identifiers UUIDv7 unless said otherwise. */
export type Database = EventTables &
  UploadTables &
  SavedSearchTables &
  WebhookTables & {
    workspaces: {
      id: string;
      name: string;
      plan_id: string;
      /** The active embedder; null: the target embedder. */
      embedder_id: string | null;
      created_at: string;
    };
    /** One row for each start of the service; see `timelines.ts`. */
    timelines: {
      number: Generated<number>;
      /** Random. */
      id: string;
      /** The first sequence of `chunk_vectors` that can be on it. */
      first_sequence: number;
      /** The first sequence of `item_changes` that can be on it. */
      first_change: number;
    };
    service_settings: { name: string; value: string };
    /** All embedders that have been used. `reference` is an `EmbedderReference` as JSON. */
    embedders: { id: string; reference: string };
    people: {
      id: string;
      name: string;
      /** E-mail address to sign in with, in lower case; null for a person who joined by a link and set none. */
      email: string | null;
      /** In the PHC string format. */
      password_hash: string | null;
      created_at: string;
    };
    memberships: { workspace_id: string; person_id: string; role: Role; created_at: string };
    sessions: { token_hash: string; workspace_id: string; person_id: string; created_at: string; expires_at: string };
    sign_in_links: {
      token_hash: string;
      workspace_id: string;
      person_id: string;
      expires_at: string;
      used_at: string | null;
    };
    api_keys: {
      workspace_id: string;
      id: string;
      /** SHA-256 of the whole key, hexadecimal: how a request finds its workspace. */
      hash: string;
      /** The encrypted key, so that a member can reveal it. */
      sealed: Uint8Array;
      /** Its last four characters; null for keys of versions that did not store them. */
      ending: string | null;
      name: string | null;
      created_at: string;
      last_used_at: string | null;
      /** End of the grace period after a rotation. */
      expires_at: string | null;
      revoked_at: string | null;
    };
    invitations: {
      workspace_id: string;
      id: string;
      token_hash: string;
      role: Role;
      invited_by: string;
      created_at: string;
      expires_at: string;
    };
    creators: { workspace_id: string; id: string; name: string; folded_name: string; created_at: string };
    categories: {
      workspace_id: string;
      id: string;
      name: string;
      /** The name with case folded: unique within a workspace. */
      folded_name: string;
      description: string;
      created_at: string;
    };
    /** Collections and tags: an item may be in many of each. `folded_name` as of categories. */
    collections: {
      workspace_id: string;
      id: string;
      name: string;
      folded_name: string;
      created_at: string;
      /** When it got its name, or items were added or removed. */
      updated_at: string;
    };
    tags: { workspace_id: string; id: string; name: string; folded_name: string; created_at: string };
    collection_items: { workspace_id: string; collection_id: string; media_id: string; added_at: string };
    item_tags: { workspace_id: string; tag_id: string; media_id: string; added_at: string };
    /** Limits of null are unlimited. */
    plans: { id: string; name: string } & Limits;
    /** Responses to requests with an `Idempotency-Key`. */
    idempotency_keys: {
      workspace_id: string;
      key: string;
      operation: string;
      /** Of the request's content; null until it has arrived. */
      fingerprint: string | null;
      /** Status, headers and body as JSON; null while the first request is in progress. */
      response: string | null;
      created_at: string;
    };
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
      duration: number | null;
      width: number | null;
      height: number | null;
      size: number;
      mime_type: string;
      sha256: string;
      /** Title, artist, comment and the like of a video's container, by which it is found; '' if there are none, and until it is indexed. */
      tags: Generated<string>;
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
      /** Degrees, WGS 84; both or neither. */
      latitude: number | null;
      longitude: number | null;
      /** City and country as the file names them. */
      place: string | null;
      /** `MediaDetails` as JSON; null: not read yet. */
      details: string | null;
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
    trash_totals: Database['media_totals'] & {
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
      media_id: string;
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
    };
    /** One row for each item, deleted ones included, written by triggers; see `item-changes.ts`. */
    item_changes: {
      /** Larger than all before it. */
      sequence: Generated<number>;
      workspace_id: string;
      media_id: string;
    };
    /** Among the jobs of a priority workspaces take turns. No row: none of it was claimed. */
    job_turns: {
      workspace_id: string;
      priority: number;
      /** The fencing token of the last job that was claimed. */
      last_claim: number;
    };
    /** One row: the last fencing token that was issued. */
    fencing_counter: { last: number };
    /** Deleted items whose files may still be on disk. */
    pending_removals: { workspace_id: string; media_id: string; created_at: string };
    /** Work to be done on items; see `job-queue.ts`. An item has at most one job of each kind. */
    jobs: {
      workspace_id: string;
      media_id: string;
      kind: JobKind;
      /** Smaller numbers are claimed first. */
      priority: number;
      /** The payload of the kind, besides the item, as JSON. */
      payload: string;
      attempts: Generated<number>;
      /** The worker that holds the job, and until when unless it renews. */
      lease_owner: string | null;
      lease_until: string | null;
      /** Of the latest claim. */
      token: Generated<number>;
      /** Not claimed before; null: at any time. */
      available_at: string | null;
      created_at: string;
    };
    chunks: {
      /** Key of the search indexes. Never reused after a delete. */
      number: Generated<number>;
      workspace_id: string;
      id: string;
      media_id: string;
      position: number;
      start_time: number;
      end_time: number;
      thumbnail_file: string;
      /** 1: it is black, white or frozen throughout, so it is never a highlight. */
      blank: Generated<number>;
    };
    chunk_vectors: {
      /** Grows with each stored vector, so that an index can read the new ones. */
      sequence: Generated<number>;
      workspace_id: string;
      chunk_number: number;
      embedder_id: string;
      /** Unit length. As bytes by `vectorBytes` and `decodeVector` of the dialect: float32 in SQLite, float16 in PostgreSQL. */
      vector: Uint8Array;
    };
    /** One row for each of `chunk_vectors`, with which it is deleted; vectors of earlier versions may have none. */
    chunk_views: {
      workspace_id: string;
      chunk_number: number;
      embedder_id: string;
      /** Vectors of the moments of a video chunk or of the crops of a photograph, 8 bits per dimension: see `chunk-views.ts`. */
      vectors: Uint8Array;
    };
    /** What is said and written in an item, with its time; see `text-segments.ts`. */
    text_segments: {
      number: Generated<number>;
      workspace_id: string;
      media_id: string;
      source: SegmentSource;
      /** Index of a subtitle's stream in the file; null for other sources. */
      track: number | null;
      /** BCP 47; null: unknown. */
      language: string | null;
      /** Seconds; both 0 for a photograph. */
      start_time: number;
      end_time: number;
      text: string;
      /** `TextBox` as JSON; null: it is not written anywhere in the picture. */
      box: string | null;
      /** 0..1; null: nothing had to be recognised. */
      confidence: number | null;
    };
    /** What recognition that begins again has read so far, until it takes the place of the segments of before; see `text-extractions.ts`. */
    text_drafts: Database['text_segments'];
    /** The segments by which a chunk is found. */
    chunk_segments: { workspace_id: string; chunk_number: number; segment_number: number };
    /** How far the recognition of text in an item is; see `text-extractions.ts`. No row: it was never asked for. */
    text_extractions: {
      workspace_id: string;
      media_id: string;
      source: ExtractionSource;
      state: 'pending' | 'complete' | 'none' | 'failed';
      /** Seconds from the first frame, up to where all is read and stored. */
      position: Generated<number>;
      /** 1: it was read before, and what is read now is a draft until it is complete. */
      again: Generated<number>;
      /** BCP 47, of most of it; null: unknown. */
      language: string | null;
      /** What read the texts that are stored. */
      model: string | null;
      /** What read the drafts. */
      draft_model: string | null;
      /** Why there is nothing, or why it failed. */
      message: string | null;
      updated_at: string;
    };
    usage_days: {
      workspace_id: string;
      /** `YYYY-MM-DD`, UTC. */
      date: string;
      uploads: Generated<number>;
      searches: Generated<number>;
      /** Bytes stored after the last change of that day. */
      storage_bytes: Generated<number>;
    };
  } & SharedTables;

/** What processes share that serve requests side by side. PostgreSQL only: with SQLite there is one such process, which has it in memory. */
type SharedTables = {
  /** As rate-limiter-flexible has it. */
  rate_limits: {
    /** Name of the counter, a colon, and whose count it is. */
    key: string;
    points: number;
    /** End of the window, milliseconds since 1970. */
    expire: number | null;
  };
  /** Keys of requests that are under way. */
  request_claims: {
    workspace_id: string;
    key: string;
    /** Random for each claim. */
    owner: string;
    claimed_until: Date;
  };
  /** Clips, lists and archives to download. Times are by the clock of the database. */
  exports: {
    workspace_id: string;
    id: string;
    format: string;
    filename: string;
    /** What is exported, JSON. */
    request: string;
    status: 'processing' | 'ready' | 'error';
    /** Share that is done, 0..1. */
    progress: Generated<number>;
    /** Code and message, JSON. */
    error: string | null;
    /** What is said of the file besides its size, JSON; null: there is none. */
    produced: string | null;
    /** Bytes. */
    size: Generated<number>;
    /** The process that makes it, random for each start. */
    owner: string;
    /** How often a process began to make it; names the file of the attempt. */
    attempts: Generated<number>;
    /** How often its owner died. */
    deaths: Generated<number>;
    /** When its owner was last known to be alive; `-infinity`: it has stopped and given it back. */
    heartbeat_at: Date;
    /** While it is processed: when it is given up unless somebody asks for it. */
    wanted_until: Date;
    created_at: Date;
    /** When it is removed; in the past for what was cancelled. */
    expires_at: Date;
  };
};

export type Catalog = Kysely<Database>;
