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
import { parseBox, parseCircle } from './positions.ts';

/** The schemas of filters, by their parameters. */
type Parameters<Names extends FilterName> = { [Name in Names]: z.ZodOptional<z.ZodType<FilterValue<Name>>> };

const dayNote = 'A date is a day of the local calendar of the recording.';

/** A circle or a box on the earth, which stays a text as the request has it. */
export const areaParameter = (operator: Filter['operator']) => {
  const text = z.string().max(200);
  return operator === 'near'
    ? text
        .refine(
          (value) => parseCircle(value) !== null,
          'must be latitude,longitude,km in degrees, such as 53.55,9.99,5',
        )
        .meta({ examples: ['53.55,9.99,5'] })
    : text
        .refine(
          (value) => parseBox(value) !== null,
          'must be south,west,north,east in degrees, such as 53.3,9.7,53.8,10.4',
        )
        .meta({ examples: ['53.3,9.7,53.8,10.4'] });
};

function toSchema({ description, field, operator }: Filter): z.ZodType {
  switch (field.kind) {
    case 'choice':
      return z.enum(Object.keys(field.options)).optional().describe(description);
    case 'time':
      return dateParameter.optional().describe(`${description} ${dayNote}`);
    case 'number':
      return numberParameter(field).optional().describe(description);
    case 'position':
      return areaParameter(operator).optional().describe(description);
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
  stack_id: identifier
    .optional()
    .describe(
      'Only the items of this stack (`MediaItem.stack.id`). Without it a list has one item of each stack, and others only where that one does not pass the filter.',
    ),
  ids: identifierList
    .optional()
    .describe(
      'Only these items, at most 100, with commas in between; unknown ones are left out. The order is that of `sort`. With ' +
        '`per_page=100` the state of all of them takes one request.',
    ),
};
const listFilter = z.object(listFilterParameters);
export type ListFilter = z.output<typeof listFilter>;
