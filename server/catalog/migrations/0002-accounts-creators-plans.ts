import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const text = 'text';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('people').addColumn('email', text).execute();
  await db.schema.alterTable('people').addColumn('password_hash', text).execute();
  await db.schema.createIndex('people_email').on('people').column('email').unique().execute();
  await db.schema.createIndex('memberships_person').on('memberships').column('person_id').execute();
  await db.schema.createIndex('sessions_person').on('sessions').column('person_id').execute();

  await db.schema.alterTable('api_keys').addColumn('ending', text).execute();
  await db.schema.alterTable('api_keys').addColumn('expires_at', text).execute();
  await db.schema.alterTable('api_keys').addColumn('last_used_at', text).execute();

  await db.schema
    .createTable('invitations')
    .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('invited_by', text, (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('invitations_key', ['workspace_id', 'id'])
    .execute();

  for (const table of ['creators', 'categories'] as const) {
    let create = db.schema
      .createTable(table)
      .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('folded_name', text, (column) => column.notNull())
      .addColumn('created_at', text, (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['workspace_id', 'id'])
      .addUniqueConstraint(`${table}_name`, ['workspace_id', 'folded_name']);
    if (table === 'categories') create = create.addColumn('description', text, (column) => column.notNull());
    await create.execute();
  }
  // No creators or categories existed before, so values that uploads stored here reference nothing.
  await sql`update media_items set creator_id = null, category_id = null`.execute(db);
  for (const column of ['creator_id', 'category_id', 'status', 'type'] as const) {
    await db.schema
      .createIndex(`media_items_by_${column}`)
      .on('media_items')
      .columns(['workspace_id', column, 'created_at'])
      .execute();
  }

  await db.schema
    .createTable('plans')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('storage_bytes', 'integer')
    .addColumn('media_items', 'integer')
    .addColumn('indexed_seconds', 'real')
    .addColumn('searches_per_month', 'integer')
    .execute();
  await sql`insert into plans (id, name) values ('self-hosted', 'Self-hosted')`.execute(db);

  await db.schema
    .createTable('idempotency_keys')
    .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('operation', text, (column) => column.notNull())
    .addColumn('fingerprint', text)
    .addColumn('response', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['workspace_id', 'key'])
    .execute();
}

export const accountsCreatorsPlans: Migration = { up };
