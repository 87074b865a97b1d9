import type { Generated } from 'kysely';

/** The payload of a job of each kind, besides its item, stored as JSON. */
export type JobPayloads = {
  /** The original is turned into chunks, texts, vectors and renditions. */
  index: Record<string, never>;
  /** The chunks of an indexed item get vectors of another embedder. */
  reembed: { embedder_id: string };
  /** What is written in the pictures of an indexed item is recognised. */
  ocr: Record<string, never>;
  /** What is said in an indexed item is recognised. */
  speech: Record<string, never>;
  /** The texts of an item get vectors by what they mean. */
  passages: Record<string, never>;
  /** An item that was indexed before there were fingerprints gets one. */
  fingerprint: Record<string, never>;
  /** The file of an export is made. It is about a row of `exports`. */
  export: Record<string, never>;
  /** A new item is compared with saved searches. */
  match: Record<string, never>;
  /** An item is compared with all others, for what they show alike. */
  copies: Record<string, never>;
  /** Many items are changed. It is about a row of `media_changes`. */
  change: Record<string, never>;
};

export type JobKind = keyof JobPayloads;

/** The kinds that the processes do which answer requests. Each has a lane of its own in the queue. */
export type RequestJobKind = 'export' | 'match' | 'change' | 'copies';

/** The kinds that the workers do which index, each about an item. */
export type ItemJobKind = Exclude<JobKind, RequestJobKind>;

/** The queue of jobs. */
export type JobTables = {
  /** Work to be done on items and exports; see `../queue/job-queue.ts`. Each has at most one job of each kind. */
  jobs: {
    workspace_id: string;
    /** The item, or of the kinds `export` and `change` the export or the change, that it is about. */
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
  /** Among the jobs of a priority workspaces take turns. No row: none of it was claimed. */
  job_turns: {
    workspace_id: string;
    priority: number;
    /** The fencing token of the last job that was claimed. */
    last_claim: number;
  };
  /** One row: the last fencing token that was issued. */
  fencing_counter: { last: number };
};
