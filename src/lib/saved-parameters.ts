import { allFilters, type Filter, itemFilters } from '../../contract/fields.ts';
import { addDays, parseDay } from './date-range.ts';
import { readFilters } from './filter-url.ts';

type Page = 'library' | 'search' | 'highlights';

/** Parameters of searches that the URL calls by other names. Those of neither table have one name, or only the dashboard reads them. */
const renamed: [url: string, parameter: string][] = [
  ['written', 'as_written'],
  ['like', 'media_id'],
  ['chunk', 'chunk_id'],
];

const filtersOf = (page: Page): readonly Filter[] => (page === 'library' ? allFilters : itemFilters);

/** The URL of a page as a saved search holds it: by the parameters of the API. What does not exist is left out. */
export function toParameters(page: Page, search: URLSearchParams): Record<string, string> {
  const filters = filtersOf(page);
  const values: Partial<Record<string, string | number>> = readFilters(search, filters);
  return Object.fromEntries(
    [...search].flatMap(([name, value]): [string, string][] => {
      const filter = filters.find(({ url }) => url === name);
      if (!filter) return [[renamed.find(([url]) => url === name)?.[1] ?? name, value]];
      const read = values[filter.parameter];
      return read === undefined ? [] : [[filter.parameter, String(read)]];
    }),
  );
}

/** The parameters of the URL that shows what a saved search holds. */
export function toUrlParameters(page: Page, parameters: Record<string, string>): Record<string, string> {
  const filters = filtersOf(page);
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]): [string, string][] => {
      const filter = filters.find(({ parameter }) => parameter === name);
      if (!filter) return [[renamed.find(([, parameter]) => parameter === name)?.[0] ?? name, value]];
      if (filter.field.kind !== 'time') return [[filter.url, value]];
      // The URL has days: of a time its day.
      const day = parseDay(value.slice(0, 10));
      return day === undefined ? [] : [[filter.url, filter.operator === 'before' ? addDays(day, -1) : day]];
    }),
  );
}
