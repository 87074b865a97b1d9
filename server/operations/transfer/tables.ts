import { leastChangeSetting } from '../../catalog/apply-steps.ts';
import { historySetting, identitySetting } from '../../catalog/media/timelines.ts';
import type { Database } from '../../catalog/schema.ts';

export type TableName = keyof Database;

/**
 * A table whose rows are moved. Where a distributed PostgreSQL (Citus) keeps it: `shards`, by workspace; `everywhere`, a copy on each node;
 * `coordinator`, in one place.
 */
type MovedTable = {
  name: TableName;
  place: 'shards' | 'everywhere' | 'coordinator';
  /** Unique in SQLite, and the order in which rows are read there. PostgreSQL is asked for its primary key. */
  key: readonly [string, ...string[]];
};

const moved = <Name extends TableName>(
  name: Name,
  place: MovedTable['place'],
  ...key: [keyof Database[Name] & string, ...(keyof Database[Name] & string)[]]
): MovedTable => ({ name, place, key });

/** The tables that are copied row by row; each comes after those that its foreign keys name. */
export const movedTables: readonly MovedTable[] = [
  moved('service_settings', 'everywhere', 'name'),
  moved('plans', 'everywhere', 'id'),
  moved('embedders', 'everywhere', 'id'),
  moved('people', 'everywhere', 'id'),
  moved('workspaces', 'everywhere', 'id'),
  moved('memberships', 'everywhere', 'workspace_id', 'person_id'),
  moved('sessions', 'everywhere', 'token_hash'),
  moved('sign_in_links', 'everywhere', 'token_hash'),
  moved('api_keys', 'everywhere', 'workspace_id', 'id'),
  moved('invitations', 'everywhere', 'workspace_id', 'id'),
  moved('creators', 'shards', 'workspace_id', 'id'),
  moved('categories', 'shards', 'workspace_id', 'id'),
  moved('collections', 'shards', 'workspace_id', 'id'),
  moved('tags', 'shards', 'workspace_id', 'id'),
  moved('saved_searches', 'shards', 'workspace_id', 'id'),
  moved('webhooks', 'shards', 'workspace_id', 'id'),
  moved('webhook_deliveries', 'shards', 'workspace_id', 'webhook_id', 'event_id'),
  moved('idempotency_keys', 'shards', 'workspace_id', 'key'),
  moved('usage_days', 'coordinator', 'workspace_id', 'date'),
  moved('sources', 'shards', 'workspace_id', 'id'),
  moved('source_files', 'shards', 'workspace_id', 'source_id', 'path'),
  moved('media_items', 'shards', 'workspace_id', 'id'),
  moved('collection_items', 'shards', 'collection_id', 'media_id'),
  moved('item_tags', 'shards', 'tag_id', 'media_id'),
  moved('media_changes', 'shards', 'workspace_id', 'id'),
  moved('media_change_items', 'shards', 'workspace_id', 'change_id', 'position'),
  moved('comments', 'shards', 'workspace_id', 'id'),
  moved('comment_mentions', 'shards', 'workspace_id', 'comment_id', 'person_id'),
  moved('shares', 'shards', 'workspace_id', 'id'),
  moved('share_items', 'shards', 'workspace_id', 'share_id', 'media_id'),
  moved('saved_matches', 'shards', 'workspace_id', 'saved_search_id', 'media_id'),
  moved('pending_removals', 'coordinator', 'workspace_id', 'media_id'),
  moved('jobs', 'coordinator', 'workspace_id', 'media_id', 'kind'),
  moved('job_turns', 'coordinator', 'workspace_id', 'priority'),
  moved('chunks', 'shards', 'number'),
  moved('chunk_vectors', 'shards', 'chunk_number', 'embedder_id'),
  moved('chunk_views', 'shards', 'chunk_number', 'embedder_id'),
  moved('text_segments', 'shards', 'number'),
  moved('text_drafts', 'shards', 'number'),
  moved('chunk_segments', 'shards', 'chunk_number', 'segment_number'),
  moved('text_extractions', 'shards', 'workspace_id', 'media_id', 'source'),
  moved('text_passages', 'shards', 'number'),
  moved('passage_states', 'shards', 'workspace_id', 'media_id'),
  moved('fingerprints', 'shards', 'workspace_id', 'media_id'),
  moved('item_copies', 'shards', 'workspace_id', 'media_id', 'other_id'),
  moved('copy_searches', 'coordinator', 'workspace_id'),
];

/**
 * Tables that each catalog makes for itself: totals, the record of changes with its history, the log of events, counters, keys of requests, exports,
 * which expire within an hour, and open uploads, whose clients begin again. Numbers of its changes and vectors are given again, so nothing that was
 * derived from another catalog counts here.
 */
export const ownTables: readonly TableName[] = [
  'media_totals',
  'trash_totals',
  'item_changes',
  'events',
  'timelines',
  'fencing_counter',
  'uploads',
  'request_claims',
  'exports',
];

/** Columns that a database fills in itself, in an order of its own. */
const ownColumns = new Set(['chunk_vectors.sequence', 'media_items.taken_local']);

export const isOwnColumn = (table: TableName, column: string): boolean => ownColumns.has(`${table}.${column}`);

/** Settings about a move, which are not moved: of a catalog that rows arrive in, and of one that they leave. */
export const arrivingSetting = 'move_arriving';
export const leavingSetting = 'move_leaving';

const ownSettings = new Set<unknown>([
  arrivingSetting,
  leavingSetting,
  identitySetting,
  historySetting,
  leastChangeSetting,
]);

/** Whether a row says something about one catalog only. */
export const isOwnRow = (table: TableName, row: Record<string, unknown>): boolean =>
  (table === 'service_settings' && ownSettings.has(row['name'])) || (table === 'jobs' && row['kind'] === 'export');
