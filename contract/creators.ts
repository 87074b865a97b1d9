import { z } from 'zod';
import { identifier, pageParameters } from './parameters.ts';

export const creator = z
  .object({ id: identifier, name: z.string(), media_count: z.int().min(0), created_at: z.iso.datetime() })
  .meta({ id: 'Creator' });

export const createCreatorBody = z.object({ name: z.string().trim().min(1).max(120) });

export const listCreatorsQuery = z.object({
  ...pageParameters,
  q: z.string().max(120).optional().describe('Text to find in the name.'),
});
