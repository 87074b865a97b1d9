import { z } from 'zod';
import { mediaStatus, mediaType } from './media.ts';
import { identifier } from './parameters.ts';

const amounts = {
  storage_bytes: z.int().min(0),
  media_items: z.int().min(0),
  indexed_seconds: z.number().min(0),
  searches_per_month: z.int().min(0),
};

const limits = z
  .object({
    storage_bytes: amounts.storage_bytes.nullable(),
    media_items: amounts.media_items.nullable(),
    indexed_seconds: amounts.indexed_seconds.nullable(),
    searches_per_month: amounts.searches_per_month.nullable(),
  })
  .describe('A limit of null is unlimited.');
export type Limits = z.output<typeof limits>;

export const workspace = z
  .object({
    id: identifier,
    name: z.string(),
    created_at: z.iso.datetime(),
    plan: z.object({ id: z.string(), name: z.string(), limits }),
    usage: z.object({
      ...amounts,
      by_status: z.record(mediaStatus, z.int().min(0)),
      by_type: z.record(mediaType, z.int().min(0)),
      chunks: z.int().min(0),
      history: z.array(
        z.object({
          date: z.iso.date(),
          uploads: z.int().min(0),
          searches: z.int().min(0),
          storage_bytes: z.int().min(0),
        }),
      ),
    }),
    quota: limits.describe('What is left of each limit; null where unlimited.'),
    embedder: z.object({
      id: z.string(),
      kind: z.enum(['builtin', 'semantic']),
      dimensions: z.int().min(1),
      reindexing: z.object({ done: z.int().min(0), total: z.int().min(0) }).nullable(),
    }),
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.output<typeof workspace>;
