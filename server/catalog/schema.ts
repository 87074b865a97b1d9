import type { Generated, Kysely } from 'kysely';
import type { IndexingStage, MediaStatus, MediaType } from '../../contract/media.ts';

/** Times are RFC 3339 strings in UTC, identifiers UUIDv7 unless said otherwise. */
export type Database = {
  workspaces: { id: string; name: string; plan_id: string; created_at: string };
  people: { id: string; name: string; created_at: string };
  memberships: { workspace_id: string; person_id: string; role: 'owner' | 'member'; created_at: string };
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
    /** The key, encrypted, so that a member can see it again. */
    sealed: Uint8Array;
    created_at: string;
    revoked_at: string | null;
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
    creator_id: string | null;
    category_id: string | null;
    duration: number | null;
    width: number | null;
    height: number | null;
    size: number;
    mime_type: string;
    sha256: string;
    chunk_count: Generated<number>;
    /** File names within the item's rendition folder. */
    poster_file: string | null;
    rendition_file: string | null;
    rendition_mime_type: string | null;
    created_at: string;
    updated_at: string;
    indexed_at: string | null;
  };
  /** One row for each item that still has to be indexed. */
  jobs: {
    workspace_id: string;
    media_id: string;
    attempts: Generated<number>;
    /** The worker that holds the job, and until when unless it renews. */
    lease_owner: string | null;
    lease_until: string | null;
    created_at: string;
  };
  chunks: {
    /** Key of the vector index and of `chunk_texts`. Never used again after a delete. */
    number: Generated<number>;
    workspace_id: string;
    id: string;
    media_id: string;
    position: number;
    start_time: number;
    end_time: number;
    thumbnail_file: string;
    text: string | null;
  };
  chunk_vectors: {
    /** Grows with each stored vector, so that an index can ask for what is new. */
    sequence: Generated<number>;
    workspace_id: string;
    chunk_number: number;
    embedder_id: string;
    /** Little-endian float32, unit length. */
    vector: Uint8Array;
  };
  /** FTS5. `rowid` is the chunk's number. */
  chunk_texts: { rowid: number; text: string; filename: string; tags: string };
  usage_days: {
    workspace_id: string;
    /** `YYYY-MM-DD`, UTC. */
    date: string;
    uploads: Generated<number>;
    searches: Generated<number>;
    /** Bytes stored at the end of that day's last change. */
    storage_bytes: Generated<number>;
  };
};

export type Catalog = Kysely<Database>;
