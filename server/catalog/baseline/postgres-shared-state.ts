import type { ColumnTypes } from './column-types.ts';

/** What processes share that serve requests side by side. With SQLite there is one, which has all of it in memory. */
const state = ({ text }: ColumnTypes) => [
  // Unlogged: what a crash of the server forgets is worth no write to its log.
  `create unlogged table rate_limits (key ${text} primary key, points integer not null default 0, expire bigint)`,
  `create index rate_limits_by_end on rate_limits (expire)`,
  `create unlogged table request_claims (
    workspace_id ${text} not null, key ${text} not null, owner ${text} not null, claimed_until timestamptz not null,
    primary key (workspace_id, key)
  )`,
  // No foreign key: Citus would take the table for one of its own, and accept no clock in what changes it. The rows go within an hour.
  `create table exports (
    workspace_id ${text} not null, id ${text} not null, format ${text} not null, filename ${text} not null, request ${text} not null,
    status ${text} not null check (status in ('processing', 'ready', 'error')), progress double precision not null default 0,
    error ${text}, produced ${text}, size bigint not null default 0,
    owner ${text} not null, attempts integer not null default 1, deaths integer not null default 0, heartbeat_at timestamptz not null default clock_timestamp(),
    wanted_until timestamptz not null, created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null, primary key (workspace_id, id)
  )`,
  `create index exports_by_expiry on exports (expires_at)`,
  `create index exports_processing on exports (heartbeat_at) where status = 'processing'`,
];

/** Rankings of highlights as rows; beside SQLite they are files. */
const rankings = ({ text, ofWorkspace }: ColumnTypes) => [
  `create table ranking_parts (
    ${ofWorkspace}, embedder_id ${text} not null, part bigint not null, stamp ${text} not null,
    data bytea not null, primary key (workspace_id, embedder_id, part)
  )`,
  // Numbers in binary do not become smaller.
  `alter table ranking_parts alter column data set storage external`,
];

/**
 * Tells all processes, in the transaction of the change: that a job can be claimed; that a workspace, its plan or embedder changed; that there
 * is another target embedder (`server/messaging/pubsub/`). A notice lets commits wait for each other, so there is none for each row of a large change.
 */
const notify = [
  `create function notify_processes() returns trigger language plpgsql as $$ begin
     perform pg_notify('media_search', tg_argv[0] || ' ');
     return null;
   end $$`,
  `create trigger jobs_added after insert on jobs for each statement execute function notify_processes('jobs')`,
  `create trigger jobs_released after update of lease_owner on jobs for each row
     when (old.lease_owner is not null and new.lease_owner is null and new.available_at is null)
     execute function notify_processes('jobs')`,
  `create function notify_workspace() returns trigger language plpgsql as $$ begin
     perform pg_notify('media_search', 'workspace ' || old.id);
     return null;
   end $$`,
  `create trigger workspaces_changed after update or delete on workspaces for each row execute function notify_workspace()`,
  `create trigger target_set after insert on service_settings for each row
     when (new.name = 'target_embedder') execute function notify_processes('models')`,
  `create trigger target_changed after update on service_settings for each row
     when (new.name = 'target_embedder' and new.value <> old.value) execute function notify_processes('models')`,
];

/** What several processes of a service need. */
export const sharedState = (types: ColumnTypes): string[] => [...state(types), ...rankings(types), ...notify];
