import { z } from 'zod';
import {
  allFilters,
  type Filter,
  type FilterName,
  type FilterValue,
  itemFilters,
  type ItemFilterName,
} from './fields.ts';
import { dateParameter, identifier, identifierList, numberParameter } from './parameters.ts';

/** The schemas of filters, by their parameters. */
type Parameters<Names extends FilterName> = { [Name in Names]: z.ZodOptional<z.ZodType<FilterValue<Name>>> };

const dayNote = 'A date is a day of the local calendar of the recording.';

function toSchema({ description, field }: Filter): z.ZodType {
  switch (field.kind) {
    case 'choice':
      return z.enum(Object.keys(field.options)).optional().describe(description);
    case 'time':
      return dateParameter.optional().describe(`${description} ${dayNote}`);
    case 'number':
      return numberParameter(field).optional().describe(description);
    case 'text':
      return z.string().max(500).optional().describe(description);
    default:
      return identifier.optional().describe(description);
  }
}

const toParameters = <Names extends FilterName>(filters: readonly Filter[]): Parameters<Names> =>
  Object.fromEntries(filters.map((filter) => [filter.parameter, toSchema(filter)])) as Parameters<Names>;

/** What the searches, the highlights, their map and the list of items can be filtered by; see `fields.ts`. */
export const filterParameters = toParameters<ItemFilterName>(itemFilters);
const mediaFilter = z.object(filterParameters);
export type MediaFilter = z.output<typeof mediaFilter>;

/** The filters of the list of items, as a change of many items has them too. */
export const listParameters = toParameters<FilterName>(allFilters);

/** What the list of items can be filtered by. */
export const listFilterParameters = {
  ...listParameters,
  ids: identifierList
    .optional()
    .describe(
      'Only these items, at most 100, with commas in between; unknown ones are left out. The order is that of `sort`. With ' +
        '`per_page=100` the state of all of them takes one request.',
    ),
};
const listFilter = z.object(listFilterParameters);
export type ListFilter = z.output<typeof listFilter>;
