import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Microseconds: sums of whole numbers are exact in any order, sums of fractions drift with each change. */
const microsecondsOf = (row: string) => sql.raw(`cast(round(coalesce(${row}duration, 0) * 1000000) as integer)`);

/** Adds an item to the totals of its workspace, status and type. */
const addItem = sql`
  insert into media_totals (workspace_id, status, type, items, bytes, microseconds, chunks)
  values (new.workspace_id, new.status, new.type, 1, new.size, ${microsecondsOf('new.')}, new.chunk_count)
  on conflict (workspace_id, status, type) do update set items = items + 1, bytes = bytes + excluded.bytes,
    microseconds = microseconds + excluded.microseconds, chunks = chunks + excluded.chunks;`;

/** An update, so that deleting a workspace with its items does not add the row again. */
const subtractItem = sql`
  update media_totals set items = items - 1, bytes = bytes - old.size,
    microseconds = microseconds - ${microsecondsOf('old.')}, chunks = chunks - old.chunk_count
  where workspace_id = old.workspace_id and status = old.status and type = old.type;`;

/** Totals of the items per workspace, status and type. Triggers keep them, so no writer can forget to. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`
      create table if not exists media_totals (
        workspace_id text not null references workspaces (id) on delete cascade,
        status text not null, type text not null,
        items integer not null, bytes integer not null, microseconds integer not null, chunks integer not null,
        primary key (workspace_id, status, type)
      ) without rowid`.execute(transaction);
    await sql`create trigger if not exists media_totals_insert after insert on media_items begin ${addItem} end`.execute(
      transaction,
    );
    await sql`create trigger if not exists media_totals_delete after delete on media_items begin ${subtractItem} end`.execute(
      transaction,
    );
    // Progress and labels leave the totals as they are, and do not run this.
    await sql`create trigger if not exists media_totals_update
      after update of workspace_id, status, type, size, duration, chunk_count on media_items
      begin ${subtractItem} ${addItem} end`.execute(transaction);
    // A crash before the migration is recorded runs it again.
    await sql`delete from media_totals`.execute(transaction);
    await sql`
      insert into media_totals (workspace_id, status, type, items, bytes, microseconds, chunks)
      select workspace_id, status, type, count(*), sum(size), sum(${microsecondsOf('')}), sum(chunk_count)
      from media_items group by workspace_id, status, type`.execute(transaction);
  });
}

export const mediaTotals: Migration = { up };
