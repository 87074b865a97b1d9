import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Triggers tell their own connection what other processes have to hear, and its process sends it after the commit (`../postgres/notifier.ts`): NOTIFY in
 * a transaction lets all commits of the database wait for each other. Processes of the version before pass nothing on, so what they change is
 * noticed when others look by themselves.
 */
export const gatheredNotices: Migration = {
  async up(db) {
    const procedures = [
      `tell_processes(notice text) returns void language plpgsql as $$ begin raise info 'media_search %', notice; end $$`,
      `notify_processes() returns trigger language plpgsql as $$ begin
         raise info 'media_search % ', tg_argv[0];
         return null;
       end $$`,
      `notify_workspace() returns trigger language plpgsql as $$ begin
         raise info 'media_search workspace %', old.id;
         return null;
       end $$`,
      `notify_events() returns trigger language plpgsql as $$
       declare workspace text;
       begin
         for workspace in select distinct workspace_id from changed loop
           raise info 'media_search events %', workspace;
         end loop;
         return null;
       end $$`,
    ];
    for (const procedure of procedures) await sql.raw(`create or replace function ${procedure}`).execute(db);
  },
};
