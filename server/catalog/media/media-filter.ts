import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { ListFilter, MediaFilter } from '../../../contract/filters.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Dialect } from '../dialect/differences.ts';
import type { Catalog } from '../schema.ts';

/** What a condition depends on besides its filter. */
type FilterContext = {
  dialect: Dialect;
  workspaceId: string;
  /** Whether the statement reads few items by their keys, not all that pass. */
  few: boolean;
};

/** A filter as a condition over `media_items`. */
type Definition<Value> = (value: Value, context: FilterContext) => RawBuilder<SqlBool>;

/** The one place, beside the parameters in `contract/filters.ts`, where a filter of searches is described. */
const definitions: { [Key in keyof MediaFilter]-?: Definition<NonNullable<MediaFilter[Key]>> } = {
  creator_id: (value) => sql`media_items.creator_id = ${value}`,
  category_id: (value) => sql`media_items.category_id = ${value}`,
  type: (value) => sql`media_items.type = ${value}`,
  collection_id: (value, context) => isMember('collection_items', 'collection_id', value, context),
  tag_id: (value, context) => isMember('item_tags', 'tag_id', value, context),
  taken_after: (value) => sql`${takenColumn(value)} >= ${comparable(value)}`,
  taken_before: (value) => sql`${takenColumn(value)} < ${comparable(value)}`,
};

/** Filters that only the list of items has. */
const listDefinitions: {
  [Key in Exclude<keyof ListFilter, keyof MediaFilter>]-?: Definition<NonNullable<ListFilter[Key]>>;
} = {
  status: (value) => sql`media_items.status = ${value}`,
  q: (value, { dialect }) => dialect.contains(dialect.lower(sql`media_items.filename`), dialect.lower(sql`${value}`)),
  ids: (value) => sql`media_items.id in (${sql.join(value.split(','))})`,
};

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

/** A day is compared with the clock where the item was recorded, a time with the moment. */
const takenColumn = (value: string) => sql.ref(isDay(value) ? 'media_items.taken_local' : 'media_items.taken_at');

/** As the columns hold it: texts that are in order when times are. */
const comparable = (value: string): string => (isDay(value) ? value : new Date(value).toISOString());

/** The same for a search index. `local`: on the clock where items were recorded, as if it were in UTC. */
export const toTimeBound = (value: string): { ms: number; local: boolean } => ({
  ms: Date.parse(value),
  local: isDay(value),
});

/** The filters that are set, by name, always in the same order. An empty value sets none. */
function setFilters<Entry>(
  table: Record<string, Entry>,
  filter: Record<string, unknown>,
): { name: string; definition: Entry; value: never }[] {
  return Object.entries(table).flatMap(([name, definition]) => {
    const value = filter[name];
    return value === undefined || value === '' ? [] : [{ name, definition, value: value as never }];
  });
}

/** Whether a filter lets everything pass. */
export const isUnfiltered = (filter: MediaFilter): boolean => setFilters(definitions, filter).length === 0;

/** The filter of a request, without its other parameters. */
export const pickFilter = (query: MediaFilter): MediaFilter =>
  Object.fromEntries(setFilters(definitions, query).map(({ name, value }) => [name, value]));

/** Text that is the same for equal filters and differs for all others. */
export const filterKey = (filter: MediaFilter): string => JSON.stringify(pickFilter(filter));

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
  return setFilters(definitions, filter).map(({ definition, value }) => definition(value, context));
}

/** The same for the list of items, which has more filters. */
export function listConditions(db: Catalog, workspaceId: string, filter: ListFilter): RawBuilder<SqlBool>[] {
  const context = { dialect: dialectOf(db), workspaceId, few: false };
  return [
    ...filterConditions(db, workspaceId, filter),
    ...setFilters(listDefinitions, filter).map(({ definition, value }) => definition(value, context)),
  ];
}
