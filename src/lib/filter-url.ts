import { allFilters, type Filter, type FilterName, type FilterValue } from '../../contract/fields.ts';
import { parseBox, parseCircle } from '../../contract/positions.ts';
import { addDays, describeDates, parseDay, readDates } from './date-range.ts';
import { describeFolder } from './folders.ts';

/** The value of a filter that a URL names; undefined for one that does not exist. The URL has the last day that counts, the API the first that does not. */
function readValue({ field, operator }: Filter, text: string): string | number | undefined {
  if (field.kind === 'choice') return Object.hasOwn(field.options, text) ? text : undefined;
  if (field.kind === 'number') {
    const value = Number(text);
    return value >= field.least && value <= field.most && (!field.integer || Number.isInteger(value))
      ? value
      : undefined;
  }
  if (field.kind === 'position') return (operator === 'near' ? parseCircle(text) : parseBox(text)) ? text : undefined;
  if (field.kind !== 'time') return text;
  const day = parseDay(text);
  return day && operator === 'before' ? addDays(day, 1) : day;
}

function valueIn(filter: Filter, search: URLSearchParams): string | number | undefined {
  const text = search.get(filter.url);
  return text === null || text === '' ? undefined : readValue(filter, text);
}

/** The filters in a URL of the dashboard, as the API has them. */
export const readFilters = <Names extends FilterName>(
  search: URLSearchParams,
  filters: readonly Filter[],
): { [Name in Names]: FilterValue<Name> | undefined } =>
  Object.fromEntries(filters.map((filter) => [filter.parameter, valueIn(filter, search)])) as {
    [Name in Names]: FilterValue<Name> | undefined;
  };

/** A field with its filters: what people take for one filter. */
export type FieldFilters = {
  /** What people call it. */
  label: string;
  field: Filter['field'];
  filters: readonly Filter[];
};

/** Filters by their fields, in their order. */
export const byField = (filters: readonly Filter[]): FieldFilters[] =>
  [...Map.groupBy(filters, ({ field }) => field)].map(([field, of]) => ({
    // What is only sorted by has no filters.
    label: field.kind === 'sorted' ? '' : field.label,
    field,
    filters: of,
  }));

/** Whether a URL limits a field: what does not exist limits nothing. */
export const isLimited = ({ filters }: FieldFilters, search: URLSearchParams): boolean =>
  filters.some((filter) => valueIn(filter, search) !== undefined);

/** The changes of a URL that take filters away. */
export const withoutFilters = (filters: readonly Filter[]): Record<string, undefined> =>
  Object.fromEntries(filters.map(({ url }) => [url, undefined]));

const urlOf = (parameter: string): string => allFilters.find((filter) => filter.parameter === parameter)?.url ?? '';
const [sourceUrl, folderUrl] = [urlOf('source_id'), urlOf('folder')];

/** Changes of the filters in a URL, with what follows from them: a folder is left with its source. */
export const withConsequences = <Changes extends Record<string, string | undefined>>(
  changes: Changes,
  search: URLSearchParams,
): Changes => {
  const source = search.get(sourceUrl);
  const leaves = source !== null && sourceUrl in changes && changes[sourceUrl] !== source;
  return leaves ? { [folderUrl]: undefined, ...changes } : changes;
};

/**
 * What a URL limits a field to, in words.
 * @param nameOf the name of a label; undefined for one that is gone
 */
export function describeLimit(
  { field, filters }: Omit<FieldFilters, 'label'>,
  search: URLSearchParams,
  nameOf: (id: string) => string | undefined,
): string {
  if (field.kind === 'number') return describeRange(field, filters, search);
  if (field.kind === 'time') return describeDates(readDates(search));
  if (field.kind === 'position') return describeArea(filters, search);
  const [filter] = filters;
  const value = search.get(filter?.url ?? '') ?? '';
  if (field.kind === 'choice') return field.options[value] ?? value;
  if (filter?.operator === 'within') return describeFolder(value);
  if (field.kind === 'text') return `contains “${value}”`;
  return nameOf(value) ?? `Deleted ${filter?.name ?? 'label'}`;
}

/** Digits of degrees behind the point: 100 m are enough to tell areas apart. */
const shown = (degrees: number): string => String(Number(degrees.toFixed(3)));

/** What a circle or a box of a URL is called. */
function describeArea(filters: readonly Filter[], search: URLSearchParams): string {
  const value = (operator: Filter['operator']) =>
    search.get(filters.find((filter) => filter.operator === operator)?.url ?? '') ?? '';
  const [circle, box] = [parseCircle(value('near')), parseBox(value('box'))];
  const parts = [
    ...(circle ? [`within ${circle.km} km of ${shown(circle.latitude)}, ${shown(circle.longitude)}`] : []),
    ...(box ? [`${shown(box.south)}, ${shown(box.west)} to ${shown(box.north)}, ${shown(box.east)}`] : []),
  ];
  return parts.join(' · ');
}

/** What a range of a number in a URL is called: as it is offered, or by its bounds. */
function describeRange(
  { ranges, unit }: Extract<Filter['field'], { kind: 'number' }>,
  filters: readonly Filter[],
  search: URLSearchParams,
): string {
  const bound = (operator: Filter['operator']) =>
    search.get(filters.find((filter) => filter.operator === operator)?.url ?? '') || undefined;
  const [min, max] = [bound('min'), bound('max')];
  const offered = ranges.find(
    (range) => String(range.min ?? '') === (min ?? '') && String(range.max ?? '') === (max ?? ''),
  );
  if (offered) return offered.text;
  if (min === undefined || max === undefined)
    return min === undefined ? `At most ${max} ${unit}` : `At least ${min} ${unit}`;
  return min === max ? `${min} ${unit}` : `${min} to ${max} ${unit}`;
}
