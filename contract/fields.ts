import type { Field, FilterEntry } from './field-kinds.ts';
import { recordedFields } from './recorded-fields.ts';

/**
 * What items can be filtered and sorted by: one entry a field. From it come the conditions in SQL (`server/catalog/media/media-filter.ts`), the columns
 * of the search index, the parameters of list, searches, highlights and map (`filters.ts`), the controls and the URL of the dashboard, the options of the
 * command line, and the inputs of agents' tools. This file has data only, so that browsers and clients load it without the schemas.
 */

export const fields = {
  created_at: {
    kind: 'sorted',
    column: 'created_at',
    orders: { '-created_at': 'Newest first', created_at: 'Oldest first' },
  },
  creator_id: {
    kind: 'label',
    column: 'creator_id',
    label: 'Creator',
    any: 'All creators',
    edit: { name: 'creator', description: 'Who made it; none clears it.' },
    filters: { creator_id: { operator: 'is', name: 'creator', description: 'Only media of this creator.' } },
  },
  category_id: {
    kind: 'label',
    column: 'category_id',
    label: 'Category',
    any: 'All categories',
    edit: { name: 'category', description: 'What it is filed under; none clears it.' },
    filters: { category_id: { operator: 'is', name: 'category', description: 'Only media of this category.' } },
  },
  type: {
    kind: 'choice',
    column: 'type',
    options: { video: 'Videos', image: 'Photos', audio: 'Audio' },
    label: 'Type',
    any: 'All',
    filters: { type: { operator: 'is', description: 'Only media of this type.' } },
  },
  collection_ids: {
    kind: 'labels',
    members: 'collection_items',
    label: 'Collection',
    any: 'Any collection',
    filters: { collection_id: { operator: 'is', name: 'collection', description: 'Only media in this collection.' } },
  },
  tag_ids: {
    kind: 'labels',
    members: 'item_tags',
    label: 'Tag',
    any: 'Any tag',
    filters: { tag_id: { operator: 'is', name: 'tag', description: 'Only media with this tag.' } },
  },
  taken_at: {
    kind: 'time',
    column: 'taken_at',
    local: 'taken_local',
    label: 'Date taken',
    filters: {
      taken_after: { operator: 'after', url: 'from', description: 'Only what was recorded then or later.' },
      taken_before: { operator: 'before', url: 'to', description: 'Only what was recorded earlier.' },
    },
    orders: { '-taken_at': 'Date taken, latest first', taken_at: 'Date taken, earliest first' },
  },
  status: {
    kind: 'choice',
    column: 'status',
    listOnly: true,
    options: { pending: 'Queued', indexing: 'Processing', complete: 'Ready', error: 'Failed' },
    label: 'Status',
    any: 'All statuses',
    filters: { status: { operator: 'is', description: 'Only items in this state.' } },
  },
  filename: {
    kind: 'text',
    column: 'filename',
    label: 'Name',
    listOnly: true,
    edit: { name: 'name', description: 'A new file name.' },
    filters: { q: { operator: 'contains', name: 'name', description: 'Text to find in the file name.' } },
    orders: { filename: 'Name, A to Z', '-filename': 'Name, Z to A' },
  },
  rating: {
    kind: 'number',
    column: 'rating',
    integer: true,
    least: 0,
    most: 5,
    unit: 'stars',
    label: 'Rating',
    any: 'Any rating',
    ranges: [
      { text: '5 stars', min: 5 },
      { text: '4 stars or more', min: 4 },
      { text: '3 stars or more', min: 3 },
      { text: '2 stars or more', min: 2 },
      { text: '1 star or more', min: 1 },
      { text: 'Not rated', max: 0 },
    ],
    edit: { name: 'rating', description: 'Stars; 0 takes the rating away.' },
    filters: {
      rating_min: { operator: 'min', description: 'Only items with so many stars or more.' },
      rating_max: {
        operator: 'max',
        description: 'Only items with so many stars or fewer; 0: not rated.',
      },
    },
    orders: { '-rating': 'Highest rated first', rating: 'Lowest rated first' },
  },
  review: {
    kind: 'choice',
    column: 'review',
    label: 'Review',
    options: { none: 'Not reviewed', approved: 'Approved', needs_changes: 'Needs changes' },
    any: 'Any review',
    filters: { review: { operator: 'is', description: 'Only items with this decision of a review.' } },
  },
  duration: {
    kind: 'number',
    column: 'duration',
    integer: false,
    least: 0,
    most: 1_000_000,
    unit: 'seconds',
    label: 'Length',
    any: 'Any length',
    ranges: [
      { text: 'Up to 10 seconds', max: 10 },
      { text: 'Up to 1 minute', max: 60 },
      { text: '1 to 5 minutes', min: 60, max: 300 },
      { text: '5 to 20 minutes', min: 300, max: 1200 },
      { text: '20 minutes or more', min: 1200 },
    ],
    filters: {
      duration_min: { operator: 'min', description: 'Only videos of so many seconds or more.' },
      duration_max: { operator: 'max', description: 'Only videos of so many seconds or less.' },
    },
    orders: { '-duration': 'Longest first', duration: 'Shortest first' },
  },
  source: {
    kind: 'label',
    column: 'source_id',
    label: 'Source',
    any: 'All sources',
    filters: {
      source_id: { operator: 'is', name: 'source', description: 'Only what is indexed in place in this source.' },
    },
  },
  folder: {
    kind: 'text',
    column: 'folder',
    label: 'Folder',
    filters: {
      folder: {
        operator: 'within',
        description: 'Only what lies in this folder of a source, or below it: its path below the root.',
      },
    },
  },
  ...recordedFields,
  size: { kind: 'sorted', column: 'size', orders: { '-size': 'Largest first', size: 'Smallest first' } },
} as const satisfies Record<string, Field>;

type Fields = typeof fields;
/** The fields of some kind. */
type FieldName<Kind extends Field['kind']> = {
  [Name in keyof Fields]: Fields[Name]['kind'] extends Kind ? Name : never;
}[keyof Fields];
type FilterOf<Entry> = Entry extends { filters: infer Filters } ? keyof Filters & string : never;

/** The parameters that are filters of fields of some kind. */
type FilterOfKind<Kind extends Field['kind']> = FilterOf<Fields[FieldName<Kind>]>;
/** All filters by their parameters. */
export type FilterName = FilterOf<Fields[keyof Fields]>;
/** Those of the list alone. */
type ListFilterName = FilterOf<Extract<Fields[keyof Fields], { listOnly: true }>>;
/** Those of the searches, the highlights and their map, which the list has too. */
export type ItemFilterName = Exclude<FilterName, ListFilterName>;
/** The order of a list. */
export type SortName = {
  [Name in keyof Fields]: Fields[Name] extends { orders: infer Orders } ? keyof Orders & string : never;
}[keyof Fields];

/** The value of a filter, as it is once read. */
export type FilterValue<Name extends FilterName> =
  Name extends FilterOfKind<'number'>
    ? number
    : Name extends keyof Fields
      ? Fields[Name] extends { options: infer Options }
        ? keyof Options & string
        : string
      : string;

/** What people call a filter. */
type NameOfFilter<Name extends FilterName> =
  Extract<Fields[keyof Fields], { filters: Record<Name, unknown> }> extends { filters: Record<Name, infer Entry> }
    ? Entry extends { name: infer Given extends string }
      ? Given
      : Name
    : Name;
/** Some filters by what people call them, labels by their names. */
export type NamedFilters<Names extends FilterName> = {
  [Name in Names as NameOfFilter<Name>]?: FilterValue<Name> | undefined;
};
/** Some filters by their parameters. */
export type FilterParameters<Names extends FilterName> = { [Name in Names]?: FilterValue<Name> };

/** A filter with what is known of it and of its field. */
export type Filter = FilterEntry & { parameter: FilterName; name: string; url: string; field: Field };

const toFilters = (field: Field): Filter[] =>
  Object.entries(field.filters ?? {}).map(([parameter, { name = parameter, url = name, ...filter }]) => ({
    ...filter,
    parameter: parameter as FilterName,
    name,
    url,
    field,
  }));

/** All filters, always in the same order. */
export const allFilters: readonly Filter[] = Object.values(fields).flatMap(toFilters);

/** Those of the searches, the highlights and their map. */
export const itemFilters = allFilters.filter(({ field }) => !field.listOnly);

/** What people can change, by what they call it. */
export const edits = /* #__PURE__ */ Object.entries(fields as Record<string, Field>).flatMap(([member, field]) =>
  field.edit ? [{ ...field.edit, member, field }] : [],
);

/** The orders with their names, as they are offered. */
export const orders = Object.values(fields as Record<string, Field>).flatMap((field) =>
  Object.entries(field.orders ?? {}).map(([value, text]) => ({ value: value as SortName, text })),
);

/** Columns of the search index: of items with at most one label, or one text, with any number of them, and of numbers, which times are too. */
export type LabelColumn = Extract<FilterOfKind<'choice' | 'label' | 'text'>, ItemFilterName>;
export type ListColumn = FilterOfKind<'labels'>;
type ColumnsOf<Entry> = Entry extends { kind: 'time'; column: infer Column; local: infer Local }
  ? Column | Local
  : Entry extends { kind: 'number'; column: infer Column }
    ? Column
    : Entry extends { kind: 'position'; columns: readonly (infer Column)[] }
      ? Column
      : never;
export type NumberColumn = ColumnsOf<Fields[keyof Fields]>;

const parametersOf = (...kinds: Field['kind'][]) =>
  itemFilters.filter(({ field }) => kinds.includes(field.kind)).map(({ parameter }) => parameter);

export const labelColumns = /* #__PURE__ */ parametersOf('choice', 'label', 'text') as LabelColumn[];
export const listColumns = /* #__PURE__ */ parametersOf('labels') as ListColumn[];
export const numberColumns = /* #__PURE__ */ Object.values(fields as Record<string, Field>).flatMap((field) =>
  field.kind === 'time'
    ? [field.column, field.local]
    : field.kind === 'position'
      ? field.columns
      : field.kind === 'number'
        ? [field.column]
        : [],
) as NumberColumn[];
