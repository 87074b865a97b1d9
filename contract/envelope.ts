import { z } from 'zod';
import { type ErrorCode, errors } from './errors.ts';
import type { Operation } from './operation.ts';

/** The body of each response of an operation that succeeds. `meta` may be left out where each of its fields may. */
export function successBody({ data, meta }: Pick<Operation, 'data' | 'meta'>): z.ZodObject {
  const optional = meta?.safeParse({}).success ?? false;
  return z.object({
    success: z.literal(true),
    data,
    ...(meta ? { meta: optional ? meta.optional() : meta } : {}),
  });
}

/** The body of each response that refuses a request. */
export const errorBody = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
      message: z.string().describe('For people. Decide by `code`.'),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  })
  .meta({ id: 'Error' });
