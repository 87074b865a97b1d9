import { randomUUID } from 'node:crypto';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../dialect/differences.ts';
import { accounts } from './accounts.ts';
import { chunks } from './chunks.ts';
import { type ColumnTypes, columnTypes } from './column-types.ts';
import { events } from './events.ts';
import { items } from './items.ts';
import { sharedState } from './postgres-shared-state.ts';
import { textIndex } from './postgres-texts.ts';
import { postgresTriggers } from './postgres-triggers.ts';
import { savedMatches } from './saved-matches.ts';
import { sqliteTriggers } from './sqlite-triggers.ts';
import { uploads } from './uploads.ts';
import { webhooks } from './webhooks.ts';

/** The schema that all later migrations change, written once for both dialects. */
const statements = (types: ColumnTypes): string[] => [
  ...types.pick([], ['create extension if not exists vector']),
  ...accounts(types),
  ...items(types),
  ...chunks(types),
  ...types.pick(sqliteTriggers, postgresTriggers(types)),
  ...events(types),
  ...savedMatches(types),
  ...uploads(types),
  ...webhooks(types),
  ...types.pick([], [...textIndex(types), ...sharedState(types)]),
];

/**
 * Creates the schema in an empty database, whole or not at all. SQLite commits it before the migrator notes it, so a start that was killed in
 * between finds it there.
 */
export const baseline: Record<Dialect['name'], Migration> = {
  sqlite: {
    up: (db: Kysely<unknown>) =>
      db.transaction().execute(async (transaction) => {
        const { rows } = await sql`select 1 from sqlite_schema where name = 'events_to_webhooks'`.execute(transaction);
        if (rows.length > 0) return;
        await create(transaction, 'sqlite');
        // What reads a catalog before a service has started on it is on a timeline, too.
        await sql`insert into timelines (id, first_sequence, first_change) values (${randomUUID()}, 1, 1)`.execute(
          transaction,
        );
      }),
  },
  postgres: { up: (db) => create(db, 'postgres') },
};

async function create(db: Kysely<unknown>, dialect: Dialect['name']): Promise<void> {
  for (const statement of statements(columnTypes(dialect))) await db.executeQuery(CompiledQuery.raw(statement));
}
