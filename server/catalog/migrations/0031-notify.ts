import { CompiledQuery, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Tells all processes, in the transaction of the change: that a job can be claimed; that a workspace, its plan or embedder changed; that there
 * is another target embedder (`server/messaging/pubsub/`). A notice lets commits wait for each other, so there is none for each row of a large change.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
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
  ])
    await db.executeQuery(CompiledQuery.raw(statement));
}

export const notify: Migration = { up };
