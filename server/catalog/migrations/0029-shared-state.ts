import { CompiledQuery } from 'kysely';
import type { Migration } from 'kysely/migration';
import { text } from '../postgres/schema/column-types.ts';

const statements = [
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

/** What processes share that serve requests side by side. With SQLite there is one, which has all of it in memory. */
export const sharedState: Migration = {
  async up(db) {
    for (const statement of statements) await db.executeQuery(CompiledQuery.raw(statement));
  },
};
