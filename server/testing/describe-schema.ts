import { sql } from 'kysely';
import { dialectOf } from '../catalog/dialect/dialect.ts';
import type { Catalog } from '../catalog/schema.ts';

/** Everything that a database has in its schema, a line each; neither the order of columns nor white space makes a difference. */
export async function describeSchema(db: Catalog): Promise<string[]> {
  const parts = dialectOf(db).name === 'sqlite' ? inSqlite : inPostgres;
  const lines: string[] = [];
  for (const part of parts) {
    const { rows } = await sql.raw<Record<string, unknown>>(part).execute(db);
    lines.push(...rows.map((row) => tidy(Object.values(row).join(' '))));
  }
  return lines.filter((line) => !line.includes('kysely_') && !line.includes('sqlite_')).toSorted();
}

const tidy = (line: string) =>
  line.replaceAll('"', '').replaceAll(/\s+/g, ' ').replaceAll(/\( /g, '(').replaceAll(/ \)/g, ')').trim().toLowerCase();

const tables = `(select * from pragma_table_list where schema = 'main' and type = 'table') t`;

const inSqlite = [
  `select 'table', name, wr from ${tables}`,
  `select 'column', t.name, c.name, c.type, c."notnull", coalesce(c.dflt_value, ''), c.pk, c.hidden
    from ${tables}, pragma_table_xinfo(t.name) c`,
  `select 'foreign key', t.name, f.seq, f."from", f."table", f."to", f.on_delete from ${tables}, pragma_foreign_key_list(t.name) f
    order by t.name, f."from", f."table"`,
  `select 'key', t.name, l."unique", l.origin, l.partial, (select group_concat(x.name) from pragma_index_xinfo(l.name) x where x.key = 1)
    from ${tables}, pragma_index_list(t.name) l`,
  `select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null`,
  // What the pragmas do not tell of a table.
  `select 'counted', name from sqlite_schema where type = 'table' and sql like '%autoincrement%'`,
  `select 'check', name, substr(sql, instr(sql, 'check ('), 60) from sqlite_schema where type = 'table' and sql like '%check (%'`,
  `select 'generated', name, substr(sql, instr(sql, 'as (strftime'), 75) from sqlite_schema where type = 'table' and sql like '%as (strftime%'`,
];

const relations = `pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()`;

const inPostgres = [
  `select 'table', relname, relkind, relpersistence, coalesce(array_to_string(reloptions, ','), '') from ${relations} where relkind in ('r', 'S')`,
  `select 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    coalesce(pg_get_expr(d.adbin, d.adrelid), ''), a.attidentity, a.attgenerated, a.attstorage, coalesce(o.collname, '')
    from ${relations} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum left join pg_collation o on o.oid = a.attcollation
    where c.relkind = 'r'`,
  `select 'constraint', c.relname, k.conname, pg_get_constraintdef(k.oid) from ${relations} join pg_constraint k on k.conrelid = c.oid`,
  `select indexdef from pg_indexes where schemaname = current_schema()`,
  `select pg_get_triggerdef(t.oid) from ${relations} join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal`,
  `select pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = current_schema()
    where p.prokind = 'f' and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
];
