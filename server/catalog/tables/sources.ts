import type { Generated } from 'kysely';

/** Folders and prefixes of buckets whose files are indexed where they lie. */
export type SourceTables = {
  sources: {
    workspace_id: string;
    id: string;
    name: string;
    kind: 'folder' | 'bucket';
    /** The absolute path of a folder, or `s3://BUCKET/FOLDER`. */
    location: string;
    /** Globs below the root, as JSON. */
    include: string;
    exclude: string;
    /** 1: added by the operator. */
    managed: number;
    /** 1: scans and the jobs of its items wait. */
    paused: Generated<number>;
    /** When a scan was asked for that has not begun; 1: what is missing then is taken as deleted, however much it is. */
    scan_wanted_at: string | null;
    accepts_missing: Generated<number>;
    /** When its removal was asked for; its items are deleted first. */
    removed_at: string | null;
    /** Since when it is not to be reached; null: it is. The problem says why, or why its last scan failed. */
    offline_since: string | null;
    problem_code: string | null;
    problem_message: string | null;
    /** What its root was when it was scanned last: `RootIdentity` as JSON; null: not scanned yet. */
    root: string | null;
    /** Number of the scan that is under way or was the last. */
    scan_number: Generated<number>;
    /** Counts of the scan that is under way, as JSON; null: none is. */
    scan: string | null;
    /** Counts of the last that ended, as JSON. */
    last_scan: string | null;
    /** 1: the system tells of changes. */
    watching: Generated<number>;
    /** What it holds by the last scan. */
    file_count: Generated<number>;
    bytes: Generated<number>;
    failed_count: Generated<number>;
    created_at: string;
    updated_at: string;
  };
  /** The files of sources that are, or could not become, items. */
  source_files: {
    workspace_id: string;
    source_id: string;
    /** Below the root, with slashes. */
    path: string;
    /** Its item; null: it has none, because of its problem. It may have been deleted by a person: such a file stays out until it changes. */
    media_id: string | null;
    size: number;
    /** When it was changed last, milliseconds since 1970. */
    modified_ms: number;
    /** What stays the same when it is renamed: of a folder its inode, as text; of a bucket its entity tag. */
    identity: string;
    /** SHA-256 of its length, head and tail; null: not read yet. */
    quick_hash: string | null;
    /** SHA-256 of all of it; null: not read whole. */
    full_hash: string | null;
    /** Subtitles and other files that belong to it, as JSON: their paths, sizes and times. */
    sidecars: Generated<string>;
    /** Number of the scan that saw it last. */
    seen: number;
    /** Scans in a row that did not see it. */
    missing: Generated<number>;
    problem_code: string | null;
    problem_message: string | null;
  };
};
