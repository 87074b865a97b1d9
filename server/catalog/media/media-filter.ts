import type { IndexFilter, NumberRange } from '@media-search/search-engine/ranking/search-tasks';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Operator } from '../../../contract/field-kinds.ts';
import { allFilters, type Filter, type FilterValue, itemFilters } from '../../../contract/fields.ts';
import type { ListFilter, MediaFilter } from '../../../contract/filters.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Dialect } from '../dialect/differences.ts';
import { foldText } from '../dialect/fold-text.ts';
import type { Catalog } from '../schema.ts';
import { inArea, toArea } from './area-filter.ts';

/** What is no column of its own but follows from width and height as they are shown; null until they are known. */
type Shape = { orientation: FilterValue<'orientation'>; resolution: FilterValue<'resolution'> };

/** What a condition depends on besides its filter. */
type FilterContext = {
  dialect: Dialect;
  workspaceId: string;
  /** Whether the statement reads few items by their keys, not all that pass. */
  few: boolean;
};

/** Of numbers, times and texts; the other operators have no sign. */
const comparisons: Partial<Record<Operator, RawBuilder<unknown>>> = {
  is: sql`=`,
  after: sql`>=`,
  before: sql`<`,
  min: sql`>=`,
  max: sql`<=`,
};

/** A filter of `contract/fields.ts` as a condition over `media_items`. */
function toCondition(
  { field, operator, parameter }: Filter,
  value: string,
  context: FilterContext,
): RawBuilder<SqlBool> {
  if (field.kind === 'position') return inArea(operator, value);
  if (field.kind === 'labels') return isMember(field.members, parameter, value, context);
  if (operator === 'contains') {
    return context.dialect.holds(columnOf(field.column), foldText(value));
  }
  if (operator === 'within') {
    const column = columnOf(field.column);
    // What is below begins with a slash, whose next letter is 0: an index has it as a range.
    return sql`(${column} = ${value} or (${column} >= ${`${value}/`} and ${column} < ${`${value}0`}))`;
  }
  if (isShape(field.column)) return sql`${shapes[field.column]} = ${value}`;
  if (field.kind === 'time') {
    const column = isDay(value) ? field.local : field.column;
    return sql`${columnOf(column)} ${comparisons[operator]} ${comparable(value)}`;
  }
  return sql`${columnOf(field.column)} ${comparisons[operator]} ${value}`;
}

/** The longer and the shorter side: films are named by either, `4K` by their width and `1080p` by their height. */
const atLeast = (long: number, short: number) => {
  const { width, height } = { width: sql.ref('media_items.width'), height: sql.ref('media_items.height') };
  return sql`(${width} >= ${sql.lit(long)} or ${height} >= ${sql.lit(long)} or (${width} >= ${sql.lit(short)} and ${height} >= ${sql.lit(short)}))`;
};

const isRecording = sql`media_items.type = 'audio'`;

/** By the values of the fields; of a recording, whose size is that of its cover, none. Nearly square is square; a resolution is that of its longer or of its shorter side, whichever is more. */
export const shapes: { [Name in keyof Shape]: RawBuilder<Shape[Name] | null> } = {
  orientation: sql`case
    when ${isRecording} then null
    when media_items.width * 20 between media_items.height * 19 and media_items.height * 21 then 'square'
    when media_items.width > media_items.height then 'landscape'
    when media_items.width < media_items.height then 'portrait' end`,
  resolution: sql`case
    when ${isRecording} then null
    when ${atLeast(7680, 4320)} then '8k'
    when ${atLeast(3840, 2160)} then '4k'
    when ${atLeast(2560, 1440)} then '1440p'
    when ${atLeast(1920, 1080)} then '1080p'
    when ${atLeast(1280, 720)} then '720p'
    when media_items.width is not null then 'sd' end`,
};

export const isShape = (column: string): column is keyof Shape => Object.hasOwn(shapes, column);

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
  const areas: Pick<IndexFilter, 'near' | 'box'> = {};
  for (const { filter, value } of setFilters(itemFilters, given)) {
    const { field, operator, parameter } = filter;
    if (field.kind === 'time' || field.kind === 'number') {
      const column = field.kind === 'time' && isDay(value) ? field.local : field.column;
      ranges[column] = { ...ranges[column], [operator]: field.kind === 'time' ? Date.parse(value) : value };
    } else if (operator === 'within') labels.push([parameter, placesWithin(labelValues, value)]);
    else if (field.kind === 'position') Object.assign(areas, toArea(operator, value));
    else if (field.kind === 'text') labels.push([parameter, placesHolding(labelValues, value)]);
    // -1 for a value that no item has.
    else labels.push([parameter, labelValues.indexOf(value)]);
  }
  return { ...Object.fromEntries(labels), ...ranges, ...areas };
}

/** The places of values that hold a text, as the database compares them. */
function placesHolding(values: readonly string[], text: string): number[] {
  const part = foldText(text);
  return values.flatMap((value, place) => (foldText(value).includes(part) ? [place] : []));
}

/** The places of values that are a folder, or lie below it. */
const placesWithin = (values: readonly string[], folder: string): number[] =>
  values.flatMap((value, place) => (value === folder || value.startsWith(`${folder}/`) ? [place] : []));

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
    ...(filter.stack_id === undefined ? [] : [sql<SqlBool>`media_items.stack_id = ${filter.stack_id}`]),
    ...(filter.ids === undefined ? [] : [sql<SqlBool>`media_items.id in (${sql.join(filter.ids.split(','))})`]),
  ];
}
