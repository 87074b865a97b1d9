import { z } from 'zod';
import { identifier, timestamp } from './parameters.ts';

const count = z.int().min(0);

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

const extraction = {
  state: z.enum(['on', 'off']).describe('`off`: the service does not read it, by the settings of its operator.'),
  pending: count.describe('Items that wait to be read, or are being read.'),
};

const exampleWorkspace = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4f80',
  name: 'My workspace',
  created_at: '2026-11-20T16:00:00.000Z',
  plan: {
    id: 'starter',
    name: 'Starter',
    limits: { storage_bytes: 10_000_000_000, media_items: 100, indexed_seconds: null, searches_per_month: 1000 },
  },
  usage: {
    storage_bytes: 2_500_000_000,
    media_items: 12,
    indexed_seconds: 812.4,
    searches_per_month: 31,
    by_status: { pending: 1, indexing: 1, complete: 9, error: 1 },
    by_type: { video: 8, image: 3, audio: 1 },
    chunks: 163,
    trash: { media_items: 2, storage_bytes: 90_000_000 },
    open_uploads: { media_items: 1, storage_bytes: 48_000_000 },
    history: [{ date: '2026-11-21', uploads: 12, searches: 31, storage_bytes: 2_500_000_000 }],
  },
  quota: { storage_bytes: 7_452_000_000, media_items: 87, indexed_seconds: null, searches_per_month: 969 },
  embedder: {
    id: 'builtin@4',
    kind: 'builtin',
    dimensions: 602,
    reindexing: null,
    target: 'builtin@4',
    download: null,
    problem: null,
  },
  text_extraction: {
    ocr: { state: 'on', pending: 3 },
    speech: { state: 'on', pending: 5, model: 'whisper-tiny', problem: null },
    meaning: { pending: 0 },
  },
};

export const workspace = z
  .object({
    id: identifier,
    name: z.string(),
    created_at: timestamp,
    plan: z.object({ id: z.string(), name: z.string(), limits }),
    usage: z.object({
      ...amounts,
      by_status: z.object({ pending: count, indexing: count, complete: count, error: count }),
      by_type: z.object({ video: count, image: count, audio: count }),
      chunks: z.int().min(0),
      trash: z
        .object({ media_items: count, storage_bytes: z.int().min(0) })
        .describe(
          'What is in the trash: it counts for storage and items, not by status, by type and among the chunks.',
        ),
      open_uploads: z
        .object({ media_items: count, storage_bytes: z.int().min(0) })
        .describe(
          'What resumable uploads reserve that have not ended, by their whole lengths: beside what is used, and not in it. It counts for storage and items.',
        ),
      history: z
        .array(
          z.object({
            date: z.iso.date(),
            uploads: z.int().min(0),
            searches: z.int().min(0),
            storage_bytes: z.int().min(0).describe("Bytes stored after that day's last change."),
          }),
        )
        .describe('Days on which something happened, at most the last 90, the oldest first.'),
    }),
    quota: limits.describe('What is left of each limit, without what open uploads reserve; null where unlimited.'),
    embedder: z.object({
      id: z.string().describe('The embedder that answers in this workspace.'),
      kind: z.enum(['builtin', 'descriptors', 'semantic']),
      dimensions: z.int().min(1),
      reindexing: z
        .object({ done: z.int().min(0), total: z.int().min(0) })
        .nullable()
        .describe(
          'How many items have been embedded with another embedder, which answers when all have; null when none is.',
        ),
      target: z.string().describe('The embedder that everything is to be embedded with.'),
      download: z
        .object({ model: z.string(), done: z.int().min(0), total: z.int().min(0) })
        .nullable()
        .describe('The model that is being fetched, in bytes.'),
      problem: z.string().nullable().describe('Why the embedder that the operator asked for is not used.'),
    }),
    text_extraction: z
      .object({
        ocr: z.object(extraction),
        speech: z.object({
          ...extraction,
          model: z.string().nullable().describe('What recognises speech; null: nothing does.'),
          problem: z.string().nullable().describe('Why the model that the operator asked for is not used.'),
        }),
        meaning: z
          .object({ pending: count.describe('Items whose texts wait for it, or are being read.') })
          .describe('What is written and said is found by what it means too, once an item was read for that.'),
      })
      .describe('The reading of what is written and said in items, which goes on behind complete ones.'),
  })
  .meta({ id: 'Workspace', examples: [exampleWorkspace] });
export type Workspace = z.output<typeof workspace>;
