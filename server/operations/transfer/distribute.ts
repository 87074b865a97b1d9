import { sql } from 'kysely';
import type { Catalog, Database } from '../../catalog/schema.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { movedTables } from './tables.ts';

/** How a catalog is spread over the nodes of Citus. */
export type Distribution = { nodes: number; shards: number; tables: { sharded: number; everywhere: number } };

/** A table that PostgreSQL alone has is spread by workspace when its primary key begins with that. */
type Place = 'shards' | 'everywhere' | 'coordinator';

/** Enough for 32 nodes, few enough that what asks all of them stays quick. */
const shardCount = 32;

/**
 * Spreads a catalog over the nodes of Citus: tables of workspaces by workspace, so that what belongs to one is together on one node; what is
 * looked up before the workspace is known on each node; jobs, claims and counts on the coordinator, because one statement looks at all workspaces. All or nothing. A
 * catalog that is spread already stays as it is.
 * Throws `StartupError` where the extension is missing.
 */
export async function distributeCatalog(db: Catalog): Promise<Distribution> {
  await requireCitus(db);
  const places = await placeTables(db);
  if (!(await isDistributed(db))) {
    await db.transaction().execute(async (transaction) => {
      // The triggers of a row change rows of its workspace only, which are on the same node.
      await sql`set local citus.enable_unsafe_triggers = on`.execute(transaction);
      await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction);
      await spread(transaction, places);
    });
  }
  const { rows } = await sql<{ nodes: number; shards: number }>`
    select (select count(*) from pg_dist_node where isactive and shouldhaveshards) as nodes,
      (select count(*) from pg_dist_shard where logicalrelid = 'media_items'::regclass) as shards`.execute(db);
  const count = (place: Place) => [...places.values()].filter((each) => each === place).length;
  const { nodes = 0, shards = 0 } = rows[0] ?? {};
  return { nodes, shards, tables: { sharded: count('shards'), everywhere: count('everywhere') } };
}

async function requireCitus(db: Catalog): Promise<void> {
  const { rows } = await sql<{ installed: string | null; available: string | null }>`
    select (select extversion from pg_extension where extname = 'citus') as installed,
      (select default_version from pg_available_extensions where name = 'citus') as available`.execute(db);
  const { installed = null, available = null } = rows[0] ?? {};
  if (installed !== null) return;
  throw new StartupError(
    available !== null
      ? 'The database lacks the extension citus: run "create extension citus" in it on each node, and add the nodes with citus_add_node.'
      : 'The server lacks the extension citus, which spreads a catalog over several; one server needs no distribution.',
  );
}

const isDistributed = async (db: Catalog): Promise<boolean> =>
  (await sql`select 1 from pg_dist_partition where logicalrelid = 'media_items'::regclass`.execute(db)).rows.length > 0;

/** Small tables that are asked about all workspaces, or compared with the clock of the database, which Citus accepts on no shard. */
const onCoordinator = [
  'timelines',
  'exports',
  'request_claims',
  'uploads',
  'saved_indexes',
] as const satisfies (keyof Database)[];

/** Where each table goes. */
async function placeTables(db: Catalog): Promise<Map<string, Place>> {
  const { rows } = await sql<{ name: string; first: string | null }>`
    select c.relname::text as name, a.attname::text as first from pg_class c
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname not like 'kysely%'
    order by c.relname`.execute(db);
  const known = new Map<string, Place>(movedTables.map(({ name, place }) => [name, place]));
  for (const name of onCoordinator) known.set(name, 'coordinator');
  return new Map(
    rows.map(({ name, first }) => [name, known.get(name) ?? (first === 'workspace_id' ? 'shards' : 'coordinator')]),
  );
}

/**
 * Foreign keys are away meanwhile, because Citus accepts none between tables that are in different places, be it for a moment; triggers too, which
 * would take each row that is sent to its node for a new one.
 */
async function spread(db: Catalog, places: Map<string, Place>): Promise<void> {
  const { rows: triggers } = await sql<{ name: string; table: string; definition: string }>`
    select t.tgname::text as name, c.relname::text as table, pg_get_triggerdef(t.oid) as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by 1`.execute(db);
  for (const { name, table } of triggers) await sql`drop trigger ${sql.id(name)} on ${sql.table(table)}`.execute(db);
  const { rows: keys } = await sql<{ name: string; from: string; into: string; definition: string }>`
    select k.conname::text as name, f.relname::text as from, t.relname::text as into, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and f.relnamespace = current_schema()::regnamespace`.execute(db);
  for (const { name, from } of keys) {
    await sql`alter table ${sql.table(from)} drop constraint ${sql.id(name)}`.execute(db);
  }
  const inPlace = (place: Place) => [...places].filter(([, each]) => each === place).map(([name]) => name);
  for (const name of inPlace('everywhere')) await sql`select create_reference_table(${name})`.execute(db);
  const [first, ...others] = inPlace('shards');
  if (first === undefined) return;
  await sql`select create_distributed_table(${first}, 'workspace_id', shard_count := ${sql.lit(shardCount)}::int)`.execute(
    db,
  );
  for (const name of others) {
    await sql`select create_distributed_table(${name}, 'workspace_id', colocate_with := ${first})`.execute(db);
  }
  for (const { name, from, into, definition } of keys) {
    // With one, a table of the coordinator would follow the rules of those that are spread.
    if (places.get(from) === 'coordinator' || (places.get(from) === 'everywhere' && places.get(into) !== 'everywhere'))
      continue;
    await sql`alter table ${sql.table(from)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(db);
  }
  for (const { definition } of triggers) await sql.raw(definition).execute(db);
}
