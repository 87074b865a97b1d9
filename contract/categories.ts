import { z } from 'zod';
import { labelName } from './creators.ts';
import { identifier, timestamp } from './parameters.ts';

const category = z
  .object({
    id: identifier,
    name: z.string(),
    description: z.string(),
    media_count: z.int().min(0),
    created_at: timestamp,
  })
  .meta({
    id: 'Category',
    examples: [
      {
        id: '01a1fbe4-6806-793e-a30f-22b8a44e4fa0',
        name: 'Interviews',
        description: 'People who talk to the camera.',
        media_count: 7,
        created_at: '2026-11-20T16:05:00.000Z',
      },
    ],
  });
export type Category = z.output<typeof category>;

/** What categories are called in the description of the API. */
export const categoryNames = { noun: 'category', plural: 'categories', tag: 'Categories', item: category } as const;

const description = z.string().trim().max(1000, 'must have at most 1000 characters');

export const categoryBody = z
  .object({ name: labelName, description: description.default('') })
  .meta({ examples: [{ name: 'Interviews', description: 'People who talk to the camera.' }] });

export const categoryChanges = z
  .object({ name: labelName.optional(), description: description.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'must hold `name` or `description`')
  .meta({ examples: [{ name: 'Talks' }] });
