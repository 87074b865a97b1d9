import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The index of texts names its workspace in each of its thousands of rows an item, and a foreign key looked for the workspace at each. Only the
 * transactions of a workspace write it, so a trigger deletes it with the workspace instead.
 */
export const derivedTexts: Migration = {
  async up(db) {
    for (const table of ['text_postings', 'text_terms']) {
      await sql`alter table ${sql.table(table)} drop constraint if exists ${sql.ref(`${table}_workspace_id_fkey`)}`.execute(
        db,
      );
    }
    await sql`create or replace function forget_texts() returns trigger language plpgsql as $$ begin
      delete from text_postings where workspace_id = old.id;
      delete from text_terms where workspace_id = old.id;
      return null; end $$`.execute(db);
    await sql`create or replace trigger text_index_deleted_workspace after delete on workspaces
      for each row execute function forget_texts()`.execute(db);
  },
};
