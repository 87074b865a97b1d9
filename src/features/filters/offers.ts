import type { Filter } from '../../../contract/fields.ts';
import type { Label } from '../../api/labels.ts';
import { addDays, type DateRange, yearRange } from '../../lib/date-range.ts';
import type { FieldFilters } from '../../lib/filter-url.ts';
import { formatMonths } from '../../lib/taken.ts';

/** The changes of the URL that a choice makes. */
export type Changes = Record<string, string | undefined>;

/** A value that a field can be limited to. */
export type Offer = {
  of: FieldFilters;
  text: string;
  changes: Changes;
  /** Other words that it is found by. */
  also?: string;
  /** How many items have it, where that is known. */
  count?: number;
};

/** What the values of fields are taken from, besides the table of fields. */
export type Sources = {
  /** By what the filter is called, such as `creator`; those that are being read are missing. */
  labels: Partial<Record<string, readonly Label[]>>;
  /** Values of choices and names that items have under the other filters, by the parameter; undefined until they are counted. */
  facets?: Readonly<Record<string, readonly { value: string; count: number }[]>> | undefined;
  /** Years that have media, the latest first. */
  years: readonly string[];
  /** The day of the reader's calendar. */
  today: string;
};

/** The values that a field offers. */
export function offersOf(of: FieldFilters, sources: Sources): Offer[] {
  const { field, filters } = of;
  const [filter] = filters;
  if (!filter) return [];
  switch (field.kind) {
    case 'choice':
      return Object.entries(field.options).map(([value, text]) => ({
        of,
        text,
        also: value,
        changes: { [filter.url]: value },
        ...countOf(filter, value, sources),
      }));
    case 'text':
      return (sources.facets?.[filter.parameter] ?? []).map(({ value, count }) => ({
        of,
        text: value,
        count,
        changes: { [filter.url]: value },
      }));
    case 'label':
    case 'labels':
      return (sources.labels[filter.name] ?? []).map(({ id, name, media_count: count }) => ({
        of,
        text: name,
        count,
        changes: { [filter.url]: id },
      }));
    case 'number':
      return field.ranges.map(({ text, min, max }) => ({ of, text, changes: numberChanges(filters, { min, max }) }));
    case 'time':
      return [...dateOffers(of, sources.today), ...sources.years.map((year) => yearOffer(of, year))];
    default:
      return [];
  }
}

/** How many items have a value of a choice; nothing where that is not counted. */
const countOf = ({ parameter }: Filter, value: string, { facets }: Sources): Pick<Offer, 'count'> => {
  const counted = facets?.[parameter];
  return counted ? { count: counted.find((each) => each.value === value)?.count ?? 0 } : {};
};

/** The changes that limit a number. */
const numberChanges = (
  filters: readonly Filter[],
  { min, max }: { min?: number | undefined; max?: number | undefined },
): Changes =>
  Object.fromEntries(filters.map(({ url, operator }) => [url, (operator === 'min' ? min : max)?.toString()] as const));

/** The changes that limit a date: both ends are days that count. */
export const dateChanges = (filters: readonly Filter[], { from, to }: DateRange): Changes =>
  Object.fromEntries(filters.map(({ url, operator }) => [url, operator === 'after' ? from : to] as const));

const dateOffer = (of: FieldFilters, text: string, range: DateRange, also?: string): Offer => ({
  of,
  text,
  changes: dateChanges(of.filters, range),
  ...(also === undefined ? {} : { also }),
});

const yearOffer = (of: FieldFilters, year: string) => dateOffer(of, year, yearRange(year), 'year');

/** A whole month, such as `2026-07`. */
const monthRange = (month: string): DateRange => {
  const from = `${month}-01`;
  const next = `${addDays(from, 31).slice(0, 7)}-01`;
  return { from, to: addDays(next, -1) };
};

const nameOf = (month: string): string => formatMonths(month, month);

/** Ranges that are asked for often, as of a day. */
function dateOffers(of: FieldFilters, today: string): Offer[] {
  const month = today.slice(0, 7);
  const lastMonth = addDays(`${month}-01`, -1).slice(0, 7);
  const lastYear = String(Number(today.slice(0, 4)) - 1);
  return [
    dateOffer(of, 'Today', { from: today, to: today }),
    dateOffer(of, 'Last 7 days', { from: addDays(today, -6), to: today }, 'week'),
    dateOffer(of, 'Last 30 days', { from: addDays(today, -29), to: today }),
    dateOffer(of, 'This month', monthRange(month), nameOf(month)),
    dateOffer(of, 'Last month', monthRange(lastMonth), nameOf(lastMonth)),
    dateOffer(of, 'This year', yearRange(today.slice(0, 4))),
    dateOffer(of, 'Last year', yearRange(lastYear)),
  ];
}

/** A year, a month or a day that is typed as a number: `2019`, `2019-05`, `2019-05-01`. */
export function typedDates(of: FieldFilters, text: string, known: readonly string[]): Offer[] {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text.trim()) ?? [];
  if (year === undefined || year < '1826' || year > '9998') return [];
  if (month === undefined) return known.includes(year) ? [] : [yearOffer(of, year)];
  if (month < '01' || month > '12') return [];
  const range = monthRange(`${year}-${month}`);
  if (day === undefined) return [dateOffer(of, nameOf(`${year}-${month}`), range)];
  const whole = `${year}-${month}-${day}`;
  return day < '01' || whole > (range.to ?? '') ? [] : [dateOffer(of, whole, { from: whole, to: whole })];
}
