import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';
import { labelTables } from './label-names.ts';

/** Something of a workspace that has a name, by the parameter of its filter; the value of a camera and of a place is its name. */
export type NamedValue = {
  parameter: 'creator_id' | 'category_id' | 'collection_id' | 'tag_id' | 'camera' | 'place';
  value: string;
  name: string;
};

/** The names of all creators, categories, collections and tags of a workspace. */
export async function listLabelNames(db: Catalog, workspaceId: string): Promise<NamedValue[]> {
  const selects = labelTables.map(
    ([parameter, table]) =>
      sql`select ${sql.lit(parameter)} as parameter, id as value, name from ${sql.table(table)} where workspace_id = ${workspaceId}`,
  );
  return (await sql<NamedValue>`${sql.join(selects, sql` union all `)}`.execute(db)).rows;
}

/** The cameras by which items of a workspace were recorded, and the places where; reads all of its items. */
export async function listRecordedNames(db: Catalog, workspaceId: string): Promise<NamedValue[]> {
  const selects = (['camera', 'place'] as const).map(
    (column) =>
      sql`select distinct ${sql.lit(column)} as parameter, ${sql.ref(column)} as value, ${sql.ref(column)} as name
        from media_items where workspace_id = ${workspaceId} and ${sql.ref(column)} is not null`,
  );
  return (await sql<NamedValue>`${sql.join(selects, sql` union all `)}`.execute(db)).rows;
}
