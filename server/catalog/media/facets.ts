import { type RawBuilder, sql } from 'kysely';
import type { ListFilter } from '../../../contract/filters.ts';
import { facetFilters, maxFacetValues } from '../../../contract/places.ts';
import type { Catalog } from '../schema.ts';
import { isShape, listConditions, notInTrash, shapes } from './media-filter.ts';
import { standsBehind } from './stacks.ts';

export type FacetValue = { value: string; count: number };

/**
 * How many items of the list of a filter have which values, by the parameters of `facetFilters`, the most frequent first. The values of a field are counted without its
 * own filter. Items are read once for all fields.
 */
export async function countFacets(
  db: Catalog,
  workspaceId: string,
  filter: ListFilter,
): Promise<Record<string, FacetValue[]>> {
  const fields = facetFilters.flatMap(({ parameter, field: { kind, ...field } }) =>
    (kind === 'choice' || kind === 'text') && 'column' in field ? [{ parameter, column: field.column }] : [],
  );
  const own = Object.fromEntries(fields.map(({ parameter }) => [parameter, undefined]));
  const others: ListFilter = { ...filter, ...own };
  const conditions = [
    sql`media_items.workspace_id = ${workspaceId}`,
    notInTrash,
    ...listConditions(db, workspaceId, others),
    sql`not ${standsBehind(db, workspaceId, others)}`,
  ];
  const set = fields.filter(({ parameter }) => filter[parameter] !== undefined && filter[parameter] !== '');
  const passes = ({ parameter }: { parameter: string }) => sql.ref(`passes_${parameter}`);
  const columns = [
    ...fields.map((field) => sql`${valueOf(field.column)} as ${sql.ref(field.parameter)}`),
    ...set.map((field) => {
      const [condition] = listConditions(db, workspaceId, { [field.parameter]: filter[field.parameter] });
      return sql`case when ${condition} then 1 else 0 end as ${passes(field)}`;
    }),
  ];
  const counts = fields.map((field) => {
    const value = sql.ref(field.parameter);
    const wanted = [
      sql`${value} is not null`,
      ...set.filter((each) => each !== field).map((each) => sql`${passes(each)} = 1`),
    ];
    return sql`select * from (
      select ${sql.lit(field.parameter)} as parameter, ${value} as value, count(*) as count from found
      where ${sql.join(wanted, sql` and `)} group by ${value} order by count(*) desc, ${value} limit ${sql.lit(maxFacetValues)}
    ) ${sql.ref(`counts_${field.parameter}`)}`;
  });
  const { rows } = await sql<FacetValue & { parameter: string }>`
    with found as materialized (select ${sql.join(columns)} from media_items where ${sql.join(conditions, sql` and `)})
    ${sql.join(counts, sql` union all `)}`.execute(db);
  const counted: Record<string, FacetValue[]> = Object.fromEntries(fields.map(({ parameter }) => [parameter, []]));
  for (const { parameter, ...value } of rows) counted[parameter]?.push(value);
  return counted;
}

const valueOf = (column: string): RawBuilder<unknown> =>
  isShape(column) ? shapes[column] : sql`${sql.ref(`media_items.${column}`)}`;
