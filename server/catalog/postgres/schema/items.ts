import { ofItem, ofWorkspace, text } from './column-types.ts';

/** Rows that put items into a collection, or give them a tag. */
const membersOf = (members: string, groups: string, group: string) => [
  `create table ${members} (
    ${ofItem}, ${group} ${text} not null, added_at ${text} not null, primary key (workspace_id, ${group}, media_id),
    foreign key (workspace_id, ${group}) references ${groups} on delete cascade
  )`,
  `create index ${members}_of_item on ${members} (workspace_id, media_id, added_at)`,
  `create index ${members}_in_order on ${members} (workspace_id, ${group}, added_at, media_id)`,
];

const totals = `${ofWorkspace}, status ${text} not null, type ${text} not null, items bigint not null, bytes bigint not null,
  microseconds bigint not null, chunks bigint not null, primary key (workspace_id, status, type)`;

/** Items, their jobs, and what counts them. */
export const items = [
  // The clock where an item was recorded. What is no time that a clock shows has none, as in SQLite.
  `create function local_time(taken_at text, taken_zone text) returns text immutable parallel safe language sql as $$
    select case when taken_at ~ '^(?!0000)[0-9]{4}-' and coalesce(taken_zone, '+00:00') ~ '^[+-]([01][0-9]|2[0-3]):[0-5][0-9]$'
      then to_char((taken_at::timestamptz at time zone 'UTC') + coalesce(taken_zone, '+00:00')::interval hour to minute,
        'YYYY-MM-DD"T"HH24:MI:SS.MS') end collate "C" $$`,
  `create table media_items (
    ${ofWorkspace}, id ${text} not null, filename ${text} not null, type ${text} not null, status ${text} not null,
    stage ${text}, fraction double precision, error_code ${text}, error_message ${text}, warning_code ${text},
    warning_message ${text}, creator_id ${text}, category_id ${text}, duration double precision, width bigint, height bigint,
    size bigint not null, mime_type ${text} not null, sha256 ${text} not null, tags ${text} not null default '',
    taken_at ${text}, taken_zone ${text}, taken_local ${text} generated always as (local_time(taken_at, taken_zone)) stored,
    taken_text ${text}, taken_source ${text}, camera ${text}, latitude double precision, longitude double precision,
    place ${text}, details ${text}, chunk_count bigint not null default 0, poster_file ${text}, placeholder ${text},
    rendition_file ${text}, rendition_mime_type ${text}, renditions_token bigint, original_problem ${text},
    original_checked_at ${text}, created_at ${text} not null, updated_at ${text} not null, indexed_at ${text}, trashed_at ${text},
    primary key (workspace_id, id), unique (workspace_id, sha256)
  )`,
  `create index media_items_newest on media_items (workspace_id, created_at, trashed_at)`,
  ...['creator_id', 'category_id', 'status', 'type'].map(
    (column) =>
      `create index media_items_by_${column} on media_items (workspace_id, ${column}, created_at, trashed_at)`,
  ),
  `create index media_items_by_check on media_items (coalesce(original_checked_at, created_at))`,
  `create index media_items_without_details on media_items (id) where details is null`,
  `create index media_items_by_taken_at on media_items (workspace_id, substr(taken_local, 1, 7), taken_at, id)`,
  `create index media_items_in_trash on media_items (workspace_id, trashed_at) where trashed_at is not null`,
  ...membersOf('collection_items', 'collections', 'collection_id'),
  ...membersOf('item_tags', 'tags', 'tag_id'),
  `create table jobs (
    ${ofItem}, kind ${text} not null, priority bigint not null, payload ${text} not null, attempts bigint not null default 0,
    lease_owner ${text}, lease_until ${text}, token bigint not null default 0, available_at ${text}, created_at ${text} not null,
    primary key (workspace_id, media_id, kind)
  )`,
  `create index jobs_order on jobs (priority, workspace_id, created_at, media_id)`,
  `create index jobs_held on jobs (workspace_id) where lease_owner is not null`,
  `create table job_turns (
    ${ofWorkspace}, priority bigint not null, last_claim bigint not null, primary key (workspace_id, priority)
  )`,
  // In place of a row that is counted up: it would let one claim run at a time in the whole service.
  `create sequence fencing_tokens`,
  `create table pending_removals (
    workspace_id ${text} not null, media_id ${text} not null, created_at ${text} not null, primary key (workspace_id, media_id)
  )`,
  `create table shares (
    ${ofItem}, id ${text} not null, token_hash ${text} not null, sealed bytea not null, start_time double precision,
    end_time double precision, title ${text}, created_by ${text}, created_at ${text} not null, expires_at ${text} not null,
    views bigint not null default 0, primary key (workspace_id, id), unique (workspace_id, token_hash)
  )`,
  // Tokens are random, so they are unique in any case; a table that is distributed by workspace cannot promise it.
  `create index shares_by_token on shares (token_hash)`,
  `create index shares_of_media on shares (workspace_id, media_id)`,
  `create index shares_expiring on shares (expires_at)`,
  `create table media_totals (${totals})`,
  `create table trash_totals (${totals}, moves bigint not null)`,
];
