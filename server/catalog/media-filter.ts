import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import type { ListFilter, MediaFilter } from '../../contract/filters.ts';
import { contains } from './dialect.ts';
import type { Database } from './schema.ts';

/** The columns of an item that filters compare. */
type FilteredItem = Pick<Selectable<Database['media_items']>, 'creator_id' | 'category_id' | 'type'>;

/** How a filter is applied: in SQL over `media_items`, and to an item in memory. */
type Definition<Value> = {
  where: (value: Value) => RawBuilder<SqlBool>;
  matches: (item: FilteredItem, value: Value) => boolean;
};

/** The one place, beside the parameters in `contract/filters.ts`, where a filter of searches is described. */
const definitions: { [Key in keyof MediaFilter]-?: Definition<NonNullable<MediaFilter[Key]>> } = {
  creator_id: equals('creator_id'),
  category_id: equals('category_id'),
  type: equals('type'),
};

/** Filters that only the list of items has. */
const listDefinitions: {
  [Key in Exclude<keyof ListFilter, keyof MediaFilter>]-?: Pick<Definition<NonNullable<ListFilter[Key]>>, 'where'>;
} = {
  status: { where: (value) => sql<SqlBool>`media_items.status = ${value}` },
  collection_id: {
    where: (value) =>
      sql<SqlBool>`media_items.id in (select media_id from collection_items where collection_id = ${value})`,
  },
  tag_id: {
    where: (value) => sql<SqlBool>`media_items.id in (select media_id from item_tags where tag_id = ${value})`,
  },
  taken_after: { where: (value) => sql<SqlBool>`${takenColumn(value)} >= ${comparable(value)}` },
  taken_before: { where: (value) => sql<SqlBool>`${takenColumn(value)} < ${comparable(value)}` },
  q: { where: (value) => contains(sql`lower(media_items.filename)`, sql`lower(${value})`) },
  ids: { where: (value) => sql<SqlBool>`media_items.id in (${sql.join(value.split(','))})` },
};

/** A day of the calendar, not a time. */
const isDay = (value: string): boolean => value.length === 10;

/** A day is compared with the clock where the item was recorded, a time with the moment. */
const takenColumn = (value: string) => sql.ref(isDay(value) ? 'media_items.taken_local' : 'media_items.taken_at');

/** As the columns hold it: texts that are in order when times are. */
const comparable = (value: string): string => (isDay(value) ? value : new Date(value).toISOString());

function equals(column: keyof FilteredItem): Definition<string> {
  return {
    where: (value) => sql<SqlBool>`${sql.ref(`media_items.${column}`)} = ${value}`,
    matches: (item, value) => item[column] === value,
  };
}

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

/** Conditions over `media_items`, all of which an item that passes meets. */
export const filterConditions = (filter: MediaFilter): RawBuilder<SqlBool>[] =>
  setFilters(definitions, filter).map(({ definition, value }) => definition.where(value));

/** The same for the list of items, which has more filters. */
export const listConditions = (filter: ListFilter): RawBuilder<SqlBool>[] => [
  ...filterConditions(filter),
  ...setFilters(listDefinitions, filter).map(({ definition, value }) => definition.where(value)),
];

/** Whether an item in memory passes. */
export const passesFilter = (item: FilteredItem, filter: MediaFilter): boolean =>
  setFilters(definitions, filter).every(({ definition, value }) => definition.matches(item, value));
