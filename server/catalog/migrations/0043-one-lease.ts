import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes } from '../baseline/column-types.ts';

/**
 * One lease, and one queue: leases of uploads and of keys of requests have the columns of those of jobs (`server/catalog/queue/leases.ts`), exports and items that
 * are compared with saved searches become jobs, and exports and keys are stored in SQLite as well. A job of an export names no item, so jobs
 * belong to a workspace; `deleteMedia` deletes those of its item.
 */

const { text } = columnTypes('postgres');

const jobColumns =
  'workspace_id, media_id, kind, priority, payload, attempts, lease_owner, lease_until, token, available_at, created_at';

const addJobs = (kind: 'export' | 'match', priority: number, id: string, createdAt: string, from: string) =>
  `insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, ${id}, '${kind}', ${priority}, '{}', ${createdAt} from ${from}`;

const renamed = ['writer to lease_owner', 'writer_until to lease_until'].map(
  (names) => `alter table uploads rename column ${names}`,
);

const claimsTable = (textType: string) => `request_claims (
  workspace_id ${textType} not null, key ${textType} not null, lease_owner ${textType} not null, lease_until ${textType} not null,
  primary key (workspace_id, key)
)`;

const inSqlite = [
  ...renamed,
  `create table ${claimsTable('text')}`,
  `create table exports (
    workspace_id text not null, id text not null, format text not null, filename text not null, request text not null,
    status text not null check (status in ('processing', 'ready', 'error')), progress real not null default 0,
    error text, produced text, size integer not null default 0, attempts integer not null default 0,
    wanted_until text not null, created_at text not null, expires_at text not null, primary key (workspace_id, id)
  )`,
  `create index exports_by_expiry on exports (expires_at)`,
  `drop trigger if exists match_requests_complete`,
  `drop trigger if exists match_requests_read`,
  `create table new_jobs (
    workspace_id text not null references workspaces (id) on delete cascade, media_id text not null, kind text not null, priority integer not null, payload text not null,
    attempts integer not null default 0, lease_owner text, lease_until text, token integer not null default 0, available_at text,
    created_at text not null, primary key (workspace_id, media_id, kind)
  )`,
  `insert into new_jobs (${jobColumns}) select ${jobColumns} from jobs`,
  `drop table jobs`,
  `alter table new_jobs rename to jobs`,
  `create index jobs_order on jobs (priority, workspace_id, created_at, media_id)`,
  `create index jobs_held on jobs (workspace_id) where lease_owner is not null`,
  addJobs('match', 11, 'media_id', `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`, 'match_requests'),
  `drop table match_requests`,
];

const time = (of: string) => `(to_char(${of} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C")`;

const inPostgres = [
  ...renamed,
  // A request that is under way claims its key again where the claim is gone.
  `drop table request_claims`,
  `create unlogged table ${claimsTable(text)}`,
  `alter table exports alter column created_at drop default`,
  ...['wanted_until', 'created_at', 'expires_at'].map(
    (column) => `alter table exports alter column ${column} type ${text} using ${time(column)}`,
  ),
  `alter table exports alter column attempts set default 0`,
  `alter table jobs drop constraint if exists jobs_workspace_id_media_id_fkey`,
  `alter table jobs add foreign key (workspace_id) references workspaces on delete cascade`,
  addJobs('export', 10, 'id', 'created_at', `exports where status = 'processing'`),
  `drop index if exists exports_processing`,
  ...['owner', 'deaths', 'heartbeat_at'].map((column) => `alter table exports drop column ${column}`),
  addJobs('match', 11, 'media_id', time('clock_timestamp()'), 'match_requests'),
  `drop trigger if exists note_complete_item on media_items`,
  `drop trigger if exists note_read_texts on text_extractions`,
  `drop function if exists note_complete_item()`,
  `drop function if exists note_read_texts()`,
  `drop table match_requests`,
];

/** All or nothing; a start that was killed after the commit, before the migration was noted, runs it again. */
async function upSqlite(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'request_claims'`.execute(transaction);
    if (rows.length > 0) return;
    for (const statement of inSqlite) await sql.raw(statement).execute(transaction);
  });
}

async function upPostgres(db: Kysely<unknown>): Promise<void> {
  for (const statement of inPostgres) await db.executeQuery(CompiledQuery.raw(statement));
}

export const oneLease: { sqlite: Migration; postgres: Migration } = {
  sqlite: { up: upSqlite },
  postgres: { up: upPostgres },
};
