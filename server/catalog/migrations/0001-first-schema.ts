import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const text = 'text';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspaces')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('plan_id', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('people')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('memberships')
    .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('person_id', text, (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('memberships_key', ['workspace_id', 'person_id'])
    .execute();

  for (const table of ['sessions', 'sign_in_links'] as const) {
    await db.schema
      .createTable(table)
      .addColumn('token_hash', text, (column) => column.primaryKey())
      .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('person_id', text, (column) => column.notNull().references('people.id').onDelete('cascade'))
      .addColumn('expires_at', text, (column) => column.notNull())
      .addColumn(table === 'sessions' ? 'created_at' : 'used_at', text)
      .execute();
  }

  await db.schema
    .createTable('api_keys')
    .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('revoked_at', text)
    .addPrimaryKeyConstraint('api_keys_key', ['workspace_id', 'id'])
    .execute();

  await createMediaTables(db);
}

async function createMediaTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('media_items')
    .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('filename', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('stage', text)
    .addColumn('fraction', 'real')
    .addColumn('error_code', text)
    .addColumn('error_message', text)
    .addColumn('creator_id', text)
    .addColumn('category_id', text)
    .addColumn('duration', 'real')
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('mime_type', text, (column) => column.notNull())
    .addColumn('sha256', text, (column) => column.notNull())
    .addColumn('chunk_count', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('poster_file', text)
    .addColumn('rendition_file', text)
    .addColumn('rendition_mime_type', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('indexed_at', text)
    .addPrimaryKeyConstraint('media_items_key', ['workspace_id', 'id'])
    .addUniqueConstraint('media_items_content', ['workspace_id', 'sha256'])
    .execute();
  await db.schema.createIndex('media_items_newest').on('media_items').columns(['workspace_id', 'created_at']).execute();

  await db.schema
    .createTable('jobs')
    .addColumn('workspace_id', text, (column) => column.notNull())
    .addColumn('media_id', text, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_owner', text)
    .addColumn('lease_until', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('jobs_key', ['workspace_id', 'media_id'])
    .addForeignKeyConstraint('jobs_media', ['workspace_id', 'media_id'], 'media_items', ['workspace_id', 'id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute();

  await db.schema
    .createTable('chunks')
    .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('workspace_id', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('media_id', text, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('start_time', 'real', (column) => column.notNull())
    .addColumn('end_time', 'real', (column) => column.notNull())
    .addColumn('thumbnail_file', text, (column) => column.notNull())
    .addColumn('text', text)
    .addUniqueConstraint('chunks_id', ['workspace_id', 'id'])
    .addUniqueConstraint('chunks_position', ['workspace_id', 'media_id', 'position'])
    .addForeignKeyConstraint(
      'chunks_media',
      ['workspace_id', 'media_id'],
      'media_items',
      ['workspace_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();

  await db.schema
    .createTable('chunk_vectors')
    .addColumn('sequence', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('workspace_id', text, (column) => column.notNull())
    .addColumn('chunk_number', 'integer', (column) => column.notNull().references('chunks.number').onDelete('cascade'))
    .addColumn('embedder_id', text, (column) => column.notNull())
    .addColumn('vector', 'blob', (column) => column.notNull())
    .addUniqueConstraint('chunk_vectors_key', ['chunk_number', 'embedder_id'])
    .execute();
  await db.schema
    .createIndex('chunk_vectors_new')
    .on('chunk_vectors')
    .columns(['workspace_id', 'embedder_id', 'sequence'])
    .execute();

  // Stems, and folds diacritics: "cafés" finds "cafe".
  await sql`create virtual table chunk_texts using fts5(
    text, filename, tags, tokenize = 'porter unicode61 remove_diacritics 2'
  )`.execute(db);
  await sql`create trigger chunk_texts_follow after delete on chunks begin
    delete from chunk_texts where rowid = old.number;
  end`.execute(db);

  await db.schema
    .createTable('usage_days')
    .addColumn('workspace_id', text, (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('date', text, (column) => column.notNull())
    .addColumn('uploads', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('searches', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('storage_bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('usage_days_key', ['workspace_id', 'date'])
    .execute();
}

export const firstSchema: Migration = { up };
