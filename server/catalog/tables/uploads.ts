import type { Generated } from 'kysely';

/** Uploads that arrive in parts, and those that ended within a day; see `../media/uploads.ts`. */
export type UploadTables = {
  uploads: {
    workspace_id: string;
    id: string;
    /** The item that it becomes, unless the workspace has one with these bytes. */
    item_id: string;
    filename: string;
    /** Bytes of the whole file. */
    length: number;
    /** Bytes that are durable. */
    received: Generated<number>;
    /** `Upload-Metadata`, as the client sent it. */
    metadata: string;
    /** `UploadFields` as JSON. */
    labels: string;
    /** As the client says, hexadecimal; null: it does not. */
    sha256: string | null;
    /** Of the SHA-256 of what is received, as hash-wasm saves it; null: nothing is, or it has ended. */
    hash_state: Uint8Array | null;
    /** What the place of the files notes (`PartialFileWriter`). */
    stored: string | null;
    /** The request that writes, random, and until when unless it renews; null: none does. */
    lease_owner: string | null;
    lease_until: string | null;
    /** A later request that waits for it to end. */
    wanted_by: string | null;
    /** The item that it became. */
    media_id: string | null;
    /** 1: the workspace had that item already. */
    duplicate: Generated<number>;
    /** Why it was refused in the end: code, message and details as JSON. */
    error: string | null;
    /** Null: more can arrive. */
    ended_at: string | null;
    /** The person who began it in the dashboard; null: a script. */
    created_by: string | null;
    created_at: string;
    expires_at: string;
  };
};
