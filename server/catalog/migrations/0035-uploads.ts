import { CompiledQuery, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { text } from '../postgres/schema/column-types.ts';

/**
 * Uploads that arrive in parts. No foreign key: with Citus the table is on the coordinator, because it is compared with the clock, and a key to a
 * table elsewhere is none there. Rows of a deleted workspace expire.
 */
const statements = ({ text, integer, bytes }: Record<'text' | 'integer' | 'bytes', string>) => [
  `create table if not exists uploads (
    workspace_id ${text} not null, id ${text} not null, item_id ${text} not null, filename ${text} not null,
    length ${integer} not null, received ${integer} not null default 0,
    metadata ${text} not null, labels ${text} not null, sha256 ${text}, hash_state ${bytes}, stored ${text},
    writer ${text}, writer_until ${text}, wanted_by ${text},
    media_id ${text}, duplicate ${integer} not null default 0, error ${text}, ended_at ${text},
    created_at ${text} not null, expires_at ${text} not null,
    primary key (workspace_id, id)
  )`,
  `create index if not exists uploads_by_expiry on uploads (expires_at)`,
  `create index if not exists uploads_open on uploads (workspace_id) where ended_at is null`,
];

const run = (types: Parameters<typeof statements>[0]): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(types)) await db.executeQuery(CompiledQuery.raw(statement));
  },
});

export const uploads = {
  sqlite: run({ text: 'text', integer: 'integer', bytes: 'blob' }),
  postgres: run({ text, integer: 'bigint', bytes: 'bytea' }),
};
