import { type ColumnTypes, foreignKey } from './column-types.ts';

/** Items, their jobs, and what counts them. */
export const items = (types: ColumnTypes): string[] => [
  ...mediaItems(types),
  ...membersOf(types, 'collection_items', 'collections', 'collection_id'),
  ...membersOf(types, 'item_tags', 'tags', 'tag_id'),
  ...jobs(types),
  ...shares(types),
  totals(types, 'media_totals', ''),
  totals(types, 'trash_totals', `moves ${types.integer} not null,`),
];

function mediaItems({ pick, text, integer, real, ofWorkspace }: ColumnTypes): string[] {
  // The clock where an item was recorded. What is no time that a clock shows has none.
  const localTime = pick(
    `as (strftime('%Y-%m-%dT%H:%M:%f', taken_at, coalesce(taken_zone, '+00:00'))) virtual`,
    `generated always as (local_time(taken_at, taken_zone)) stored`,
  );
  return [
    ...pick(
      [],
      [
        `create function local_time(taken_at text, taken_zone text) returns text immutable parallel safe language sql as $$
    select case when taken_at ~ '^(?!0000)[0-9]{4}-' and coalesce(taken_zone, '+00:00') ~ '^[+-]([01][0-9]|2[0-3]):[0-5][0-9]$'
      then to_char((taken_at::timestamptz at time zone 'UTC') + coalesce(taken_zone, '+00:00')::interval hour to minute,
        'YYYY-MM-DD"T"HH24:MI:SS.MS') end collate "C" $$`,
      ],
    ),
    `create table media_items (
      ${ofWorkspace}, id ${text} not null, filename ${text} not null, type ${text} not null, status ${text} not null,
      stage ${text}, fraction ${real}, error_code ${text}, error_message ${text}, warning_code ${text},
      warning_message ${text}, creator_id ${text}, category_id ${text}, duration ${real}, width ${integer}, height ${integer},
      size ${integer} not null, mime_type ${text} not null, sha256 ${text} not null, tags ${text} not null default '',
      taken_at ${text}, taken_zone ${text}, taken_local ${text} ${localTime},
      taken_text ${text}, taken_source ${text}, camera ${text}, latitude ${real}, longitude ${real},
      place ${text}, details ${text}, chunk_count ${integer} not null default 0, poster_file ${text}, placeholder ${text},
      rendition_file ${text}, rendition_mime_type ${text}, renditions_token ${integer}, original_problem ${text},
      original_checked_at ${text}, created_at ${text} not null, updated_at ${text} not null, indexed_at ${text}, trashed_at ${text},
      primary key (workspace_id, id), unique (workspace_id, sha256)
    )`,
    // With the trash, so that the items of a list are counted without reading them.
    `create index media_items_newest on media_items (workspace_id, created_at, trashed_at)`,
    ...['creator_id', 'category_id', 'status', 'type'].map(
      (column) =>
        `create index media_items_by_${column} on media_items (workspace_id, ${column}, created_at, trashed_at)`,
    ),
    `create index media_items_by_check on media_items (coalesce(original_checked_at, created_at))`,
    `create index media_items_without_details on media_items (id) where details is null`,
    `create index media_items_by_taken_at on media_items (workspace_id, substr(taken_local, 1, 7), taken_at, id)`,
    `create index media_items_in_trash on media_items (workspace_id, trashed_at) where trashed_at is not null`,
  ];
}

/** Rows that put items into a collection, or give them a tag. */
function membersOf(types: ColumnTypes, members: string, groups: string, group: string): string[] {
  const { text, ofItem, itemKey, keyed } = types;
  const workspace = types.pick('', 'workspace_id, ');
  return [
    `create table ${members} (
      ${ofItem}, ${group} ${text} not null, added_at ${text} not null, primary key (${workspace}${group}, media_id),
      ${foreignKey(group, groups)}, ${itemKey}
    )${keyed}`,
    `create index ${members}_of_item on ${members} (workspace_id, media_id, added_at)`,
    `create index ${members}_in_order on ${members} (${workspace}${group}, added_at, media_id)`,
  ];
}

const jobs = ({ pick, text, integer, ofWorkspace, ofItem, itemKey, keyed }: ColumnTypes): string[] => [
  `create table jobs (
    ${ofItem}, kind ${text} not null, priority ${integer} not null, payload ${text} not null, attempts ${integer} not null default 0,
    lease_owner ${text}, lease_until ${text}, token ${integer} not null default 0, available_at ${text}, created_at ${text} not null,
    primary key (workspace_id, media_id, kind), ${itemKey}
  )`,
  `create index jobs_order on jobs (priority, workspace_id, created_at, media_id)`,
  `create index jobs_held on jobs (workspace_id) where lease_owner is not null`,
  `create table job_turns (
    ${ofWorkspace}, priority ${integer} not null, last_claim ${integer} not null, primary key (workspace_id, priority)
  )${keyed}`,
  ...pick(
    [`create table fencing_counter (last integer not null)`, `insert into fencing_counter (last) values (0)`],
    // In place of a row that is counted up: it would let one claim run at a time in the whole service.
    [`create sequence fencing_tokens`],
  ),
  `create table pending_removals (
    workspace_id ${text} not null, media_id ${text} not null, created_at ${text} not null, primary key (workspace_id, media_id)
  )`,
];

const shares = ({ pick, text, integer, real, bytes, ofItem, itemKey }: ColumnTypes): string[] => [
  `create table shares (
    ${ofItem}, id ${text} not null, token_hash ${text} not null, sealed ${bytes} not null, start_time ${real},
    end_time ${real}, title ${text}, created_by ${text}, created_at ${text} not null, expires_at ${text} not null,
    views ${integer} not null default 0, primary key (workspace_id, id), unique (${pick('', 'workspace_id, ')}token_hash), ${itemKey}
  )`,
  // Tokens are random, so they are unique in any case; a table that is distributed by workspace cannot promise it.
  ...pick([], [`create index shares_by_token on shares (token_hash)`]),
  `create index shares_of_media on shares (workspace_id, media_id)`,
  `create index shares_expiring on shares (expires_at)`,
];

/** Triggers keep the totals, so that no writer can forget to. Sums of whole microseconds are exact in any order. */
const totals = ({ text, integer, ofWorkspace, keyed }: ColumnTypes, table: string, more: string) =>
  `create table ${table} (
    ${ofWorkspace}, status ${text} not null, type ${text} not null, items ${integer} not null, bytes ${integer} not null,
    microseconds ${integer} not null, chunks ${integer} not null, ${more} primary key (workspace_id, status, type)
  )${keyed}`;
