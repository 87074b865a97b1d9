import { sql } from 'kysely';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { catchUpTexts } from '../../catalog/postgres/write-texts.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Filling } from './filling.ts';

export const fillPostgres: Filling = {
  async suspendTriggers(db) {
    const { rows } = await sql<{ name: string }>`
      select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by 1`.execute(db);
    for (const { name } of rows) await sql`alter table ${sql.table(name)} disable trigger user`.execute(db);
    return rows.map(({ name }) => `alter table "${name}" enable trigger user`);
  },

  async clear(db) {
    const { rows } = await sql<{ name: string }>`
      select relname::text as name from pg_class where relkind in ('r', 'p')
      and relnamespace = current_schema()::regnamespace and relname not like 'kysely%'`.execute(db);
    await sql`truncate ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db);
  },

  async recordItems(db) {
    await sql`truncate item_changes, workspace_changes`.execute(db);
    await sql`insert into item_changes (workspace_id, media_id, sequence, xid)
      select workspace_id, id, row_number() over (partition by workspace_id order by created_at, id), pg_current_xact_id()
      from media_items`.execute(db);
    await sql`insert into workspace_changes (workspace_id, last)
      select workspace_id, max(sequence) from item_changes group by workspace_id`.execute(db);
    await sql`insert into text_changes (workspace_id, media_id) select workspace_id, id from media_items
      on conflict do nothing`.execute(db);
  },

  async makeIndexes(db) {
    for (const { id } of await listWorkspaces(db)) await catchUpTexts(db, id);
    // The planner knows nothing of the rows yet.
    await sql`analyze`.execute(db);
  },

  async readCounters(db) {
    return {
      fencingToken: await readSequence(db, 'fencing_tokens'),
      chunk: await readSequence(db, 'chunks_number_seq'),
      segment: await readSequence(db, 'text_segments_number_seq'),
    };
  },

  async raiseCounters(db, { fencingToken, chunk, segment }) {
    await raiseSequence(db, 'fencing_tokens', fencingToken);
    await raiseSequence(db, 'chunks_number_seq', chunk);
    await raiseSequence(db, 'text_segments_number_seq', segment);
  },
};

/** The last number that was given; 0 before the first. */
async function readSequence(db: Catalog, name: string): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(${name}::regclass) as last`.execute(db);
  return rows[0]?.last ?? 0;
}

async function raiseSequence(db: Catalog, name: string, value: number): Promise<void> {
  const last = Math.max(value, await readSequence(db, name));
  if (last > 0) await sql`select setval(${name}::regclass, ${last})`.execute(db);
}
