import { z } from 'zod';
import { filterParameters } from './filters.ts';

/** What a condition of a sentence is about. */
const conditionField = z.enum([
  'creator_id',
  'category_id',
  'collection_ids',
  'tag_ids',
  'type',
  'taken_at',
  'rating',
  'duration',
  'camera',
  'place',
  'orientation',
  'said',
  'shown',
]);
export type ConditionField = z.output<typeof conditionField>;

const anyField = `(?:${conditionField.options.join('|')})`;

/** Fields in a query string with commas in between. */
export const conditionFieldList = z
  .string()
  .regex(
    new RegExp(`^${anyField}(?:,${anyField})*$`),
    `must be some of ${conditionField.options.join(', ')}, with commas in between`,
  );

/** The fields of a list that is valid. */
export const toConditionFields = (list: string): ConditionField[] => list.split(',') as ConditionField[];

/** What of a sentence says which items are meant. */
export const condition = z.object({
  text: z.string().describe('The words of the query.'),
  start: z.int().min(0).describe('Where they begin in the query, in UTF-16 units.'),
  end: z.int().min(0),
  field: conditionField,
  parameters: z
    .object({
      ...Object.fromEntries(
        Object.keys(filterParameters).map((name) => [name, z.union([z.string(), z.number()]).optional()]),
      ),
      in: z.enum(['speech', 'ocr']).optional(),
      words: z.string().optional().describe('With `in`: what must be said or shown, in place of the description.'),
    })
    .describe('The parameters of a search that mean the same.'),
  certain: z
    .boolean()
    .describe(
      'True: it is a filter, and its words are not searched for. False: it may be a description as well, so hits that fulfil it come first among equals, and its words are searched for.',
    ),
});
