import { z } from 'zod';
import { identifier, pageParameters, timestamp } from './parameters.ts';

/** Name of a creator or category: 1..120 characters after trimming. */
export const labelName = z.string().trim().min(1, 'must not be empty').max(120, 'must have at most 120 characters');

const creator = z
  .object({ id: identifier, name: z.string(), media_count: z.int().min(0), created_at: timestamp })
  .meta({
    id: 'Creator',
    examples: [
      {
        id: '01a1fbe4-6806-793e-a30f-22b8a44e4f90',
        name: 'Ana Lima',
        media_count: 12,
        created_at: '2026-11-20T16:05:00.000Z',
      },
    ],
  });
export type Creator = z.output<typeof creator>;

/** What creators are called in the description of the API. */
export const creatorNames = { noun: 'creator', plural: 'creators', tag: 'Creators', item: creator } as const;

export const creatorBody = z.object({ name: labelName }).meta({ examples: [{ name: 'Ana Lima' }] });

/** Parameters of a list of named things. */
export const listByNameQuery = z.object({
  ...pageParameters,
  q: z.string().max(120).optional().describe('Text to find in the name.'),
});
export type ListByNameQuery = z.output<typeof listByNameQuery>;

/** Parameters of the lists of creators and categories: the specification gives both filters to every list. */
export const listLabelsQuery = listByNameQuery.extend({
  creator_id: identifier.optional().describe('Only this creator; of categories those of its media.'),
  category_id: identifier.optional().describe('Only this category; of creators those of its media.'),
});
export type ListLabelsQuery = z.output<typeof listLabelsQuery>;
