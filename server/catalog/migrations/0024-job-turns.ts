import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Workspaces take turns: the queue is in the order of workspaces before that of time, which jobs are held is found without reading the others,
 * and the last claim of each workspace is noted. All or nothing; a start that was killed after the commit, before the migration
 * was noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'jobs_held'`.execute(transaction);
    if (rows.length > 0) return;
    await sql`
      create table job_turns (
        workspace_id text not null references workspaces (id) on delete cascade,
        priority integer not null, last_claim integer not null,
        primary key (workspace_id, priority)
      ) without rowid`.execute(transaction);
    await sql`drop index jobs_order`.execute(transaction);
    await sql`create index jobs_order on jobs (priority, workspace_id, created_at, media_id)`.execute(transaction);
    await sql`create index jobs_held on jobs (workspace_id) where lease_owner is not null`.execute(transaction);
  });
}

export const jobTurns: Migration = { up };
