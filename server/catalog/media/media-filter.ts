import type { IndexFilter, NumberRange } from '@media-search/search-engine/ranking/search-tasks';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { allFilters, type Filter, type FilterValue, itemFilters } from '../../../contract/fields.ts';
import type { ListFilter, MediaFilter } from '../../../contract/filters.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Dialect } from '../dialect/differences.ts';
import type { Catalog } from '../schema.ts';

type Orientation = FilterValue<'orientation'>;

/** What a condition depends on besides its filter. */
type FilterContext = {
  dialect: Dialect;
  workspaceId: string;
  /** Whether the statement reads few items by their keys, not all that pass. */
  few: boolean;
};

const comparisons = { is: sql`=`, after: sql`>=`, before: sql`<`, min: sql`>=`, max: sql`<=` };

/** A filter of `contract/fields.ts` as a condition over `media_items`. */
function toCondition(
  { field, operator, parameter }: Filter,
  value: string,
  context: FilterContext,
): RawBuilder<SqlBool> {
  if (field.kind === 'labels') return isMember(field.members, parameter, value, context);
  if (operator === 'contains') {
    const { contains, lower } = context.dialect;
    return contains(lower(columnOf(field.column)), lower(sql`${value}`));
  }
  if (field.column === 'orientation') return sql`${orientation} = ${value}`;
  if (field.kind === 'time') {
    const column = isDay(value) ? field.local : field.column;
    return sql`${columnOf(column)} ${comparisons[operator]} ${comparable(value)}`;
  }
  return sql`${columnOf(field.column)} ${comparisons[operator]} ${value}`;
}

/** The shape of an item, by its width and height as it is shown; null until they are known. Nearly square is square. */
export const orientation = sql<Orientation | null>`case
  when media_items.width * 20 between media_items.height * 19 and media_items.height * 21 then 'square'
  when media_items.width > media_items.height then 'landscape'
  when media_items.width < media_items.height then 'portrait' end`;

const columnOf = (name: string) => sql.ref<string>(`media_items.${name}`);

/** Whether an item is in a collection, or has a tag: looked up for each of few items, otherwise the items are found by it. */
function isMember(
  table: 'collection_items' | 'item_tags',
  column: string,
  value: string,
  { dialect, workspaceId, few }: FilterContext,
): RawBuilder<SqlBool> {
  const members = sql`select media_id from ${sql.table(table)}
    where ${dialect.withoutIndex('workspace_id')} = ${workspaceId} and ${sql.ref(column)} = ${value}`;
  return few ? sql`exists (${members} and media_id = media_items.id)` : sql`media_items.id in (${members})`;
}

/** A day of the calendar, not a time. */
const isDay = (value: string): boolean => value.length === 10;

/** As the columns hold it: texts that are in order when times are. */
const comparable = (value: string): string => (isDay(value) ? value : new Date(value).toISOString());

/** The filters that are set, always in the same order. An empty value sets none. */
const setFilters = (filters: readonly Filter[], given: ListFilter): { filter: Filter; value: never }[] =>
  filters.flatMap((filter) => {
    const value = given[filter.parameter];
    return value === undefined || value === '' ? [] : [{ filter, value: value as never }];
  });

/** Whether a filter lets everything pass. */
export const isUnfiltered = (filter: MediaFilter): boolean => setFilters(itemFilters, filter).length === 0;

/** The filter of a request, without its other parameters. */
export const pickFilter = (query: MediaFilter): MediaFilter =>
  Object.fromEntries(setFilters(itemFilters, query).map(({ filter, value }) => [filter.parameter, value]));

/** Text that is the same for equal filters and differs for all others. */
export const filterKey = (filter: MediaFilter): string => JSON.stringify(pickFilter(filter));

/** A filter as a search index compares it. @param labelValues labels and texts of the items of the index, by their places */
export function toIndexFilter(given: MediaFilter, labelValues: readonly string[]): IndexFilter {
  const labels: [string, number | number[]][] = [];
  const ranges: Record<string, NumberRange> = {};
  for (const { filter, value } of setFilters(itemFilters, given)) {
    const { field, operator, parameter } = filter;
    if (field.kind === 'time' || field.kind === 'number') {
      const column = field.kind === 'time' && isDay(value) ? field.local : field.column;
      ranges[column] = { ...ranges[column], [operator]: field.kind === 'time' ? Date.parse(value) : value };
    } else if (field.kind === 'text') labels.push([parameter, placesHolding(labelValues, value)]);
    // -1 for a value that no item has.
    else labels.push([parameter, labelValues.indexOf(value)]);
  }
  return { ...Object.fromEntries(labels), ...ranges };
}

/** The places of values that hold a text, as the database compares them: the letters A to Z in small. */
function placesHolding(values: readonly string[], text: string): number[] {
  const lower = (value: string) => value.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const part = lower(text);
  return values.flatMap((value, place) => (lower(value).includes(part) ? [place] : []));
}

/** What every list and every search asks for besides its filter: an item in the trash is in none of them. */
export const notInTrash = sql<SqlBool>`media_items.trashed_at is null`;

/**
 * Conditions over `media_items`, all of which an item of the workspace that passes meets.
 * @param few whether the statement reads few items by their keys, not all that pass
 */
export function filterConditions(
  db: Catalog,
  workspaceId: string,
  filter: MediaFilter,
  few = false,
): RawBuilder<SqlBool>[] {
  const context = { dialect: dialectOf(db), workspaceId, few };
  return setFilters(itemFilters, filter).map(({ filter: each, value }) => toCondition(each, value, context));
}

/** The same for the list of items, which has more filters. */
export function listConditions(db: Catalog, workspaceId: string, filter: ListFilter): RawBuilder<SqlBool>[] {
  const context = { dialect: dialectOf(db), workspaceId, few: false };
  return [
    ...setFilters(allFilters, filter).map(({ filter: each, value }) => toCondition(each, value, context)),
    ...(filter.ids === undefined ? [] : [sql<SqlBool>`media_items.id in (${sql.join(filter.ids.split(','))})`]),
  ];
}
