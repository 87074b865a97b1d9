import type { Generated } from 'kysely';

/** What processes share that serve requests side by side. */
export type SharedTables = {
  /** As rate-limiter-flexible has it. PostgreSQL only: with SQLite there is one such process, which has it in memory. */
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
    lease_owner: string;
    lease_until: string;
  };
  /** Search indexes of processes that follow the catalog in memory. PostgreSQL only: with SQLite there is one such process. */
  saved_indexes: {
    workspace_id: string;
    embedder_id: string;
    /** The process that builds and saves it. */
    lease_owner: string | null;
    lease_until: string | null;
    /** The newest file in the bucket; null: none, or the files are in the data folder. */
    file: Generated<string | null>;
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
    /** How often a process began to make it; names the file of the attempt. */
    attempts: Generated<number>;
    /** While it is processed: when it is given up unless a request asks for it. */
    wanted_until: string;
    created_at: string;
    /** When it is removed; in the past for what was cancelled. */
    expires_at: string;
  };
};
