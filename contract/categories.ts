import { z } from 'zod';
import { identifier, pageParameters } from './parameters.ts';

export const category = z
  .object({
    id: identifier,
    name: z.string(),
    description: z.string(),
    media_count: z.int().min(0),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Category' });

export const listCategoriesQuery = z.object({
  ...pageParameters,
  q: z.string().max(120).optional().describe('Text to find in the name.'),
});
