import type { Filter, FilterName, FilterValue } from '../../contract/fields.ts';
import { addDays, parseDay } from './date-range.ts';

/** The value of a filter that a URL names; undefined for one that does not exist. The URL has the last day that counts, the API the first that does not. */
function readValue({ field, operator }: Filter, text: string): string | number | undefined {
  if (field.kind === 'choice') return Object.hasOwn(field.options, text) ? text : undefined;
  if (field.kind === 'number') {
    const value = Number(text);
    return value >= field.least && value <= field.most && (!field.integer || Number.isInteger(value))
      ? value
      : undefined;
  }
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

/** What a range of a number in a URL is called: as it is offered, or by its bounds. */
export function describeRange(
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
    return min === undefined ? `at most ${max} ${unit}` : `at least ${min} ${unit}`;
  return min === max ? `${min} ${unit}` : `${min} to ${max} ${unit}`;
}
