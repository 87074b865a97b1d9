import { z } from 'zod';
import { labelName } from './creators.ts';
import { identifier, timestamp } from './parameters.ts';

const exampleId = '01a1fbe4-6806-793e-a30f-22b8a44e4fb0';
const itemId = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';

/** Most collections, and most tags, of a workspace. */
export const maxGroups = 10_000;

export const collection = z
  .object({
    id: identifier,
    name: z.string(),
    description: z.string().describe('Empty when there is none.'),
    media_count: z.int().min(0),
    cover_id: identifier.nullable().describe('The item in it that was chosen to be shown for it; null: none was.'),
    covers: z
      .array(z.url())
      .max(4)
      .describe(
        'Thumbnails of four items that have one: of `cover_id`, then of its first ones in its order. Signed, expiring.',
      ),
    created_at: timestamp,
    updated_at: timestamp.describe('When it was named, or items were added or removed.'),
  })
  .meta({
    id: 'Collection',
    examples: [
      {
        id: exampleId,
        name: 'Trip to Lisbon',
        description: 'Four days in May, with the ferries.',
        media_count: 31,
        cover_id: null,
        covers: [
          'http://127.0.0.1:8080/files/01a1fbe4-6806-793e-a30f-22b8a44e4f80/01a1fbe4-6806-793e-a30f-22b8a44e4f85/poster.webp?expires=1795284000&signature=Zm9yIGV4YW1wbGU',
        ],
        created_at: '2026-11-20T16:05:00.000Z',
        updated_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  });
export type Collection = z.output<typeof collection>;

export const tag = z
  .object({ id: identifier, name: z.string(), media_count: z.int().min(0), created_at: timestamp })
  .meta({
    id: 'Tag',
    examples: [{ id: exampleId, name: 'sunset', media_count: 8, created_at: '2026-11-20T16:05:00.000Z' }],
  });
export type Tag = z.output<typeof tag>;

const description = z.string().trim().max(2000, 'must have at most 2000 characters');

export const collectionBody = z
  .object({ name: labelName, description: description.default('') })
  .meta({ examples: [{ name: 'Trip to Lisbon' }] });

export const collectionChanges = z
  .object({
    name: labelName.optional(),
    description: description.optional(),
    cover_id: identifier.nullable().optional().describe('An item in it, or null for its first ones.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must hold at least one field')
  .meta({ examples: [{ name: 'Lisbon, with ferries' }] });
export type CollectionChanges = z.output<typeof collectionChanges>;

/** Moves within a collection, one after the other. */
export const collectionMoves = z
  .object({
    moves: z
      .array(
        z.object({
          media_ids: z
            .array(identifier)
            .min(1)
            .max(1000)
            .describe('Items in it, in their new order; others are ignored.'),
          before_id: identifier
            .nullable()
            .describe('The item that follows them, itself not moved; null: they come last.'),
        }),
      )
      .min(1)
      .max(100),
  })
  .meta({ examples: [{ moves: [{ media_ids: [itemId], before_id: null }] }] });
export type CollectionMoves = z.output<typeof collectionMoves>;

export const tagBody = z.object({ name: labelName }).meta({ examples: [{ name: 'sunset' }] });

const mediaIds = z.array(identifier).max(1000, 'must have at most 1000 entries').optional();

/** Which items go into a collection or get a tag, and which lose it. */
export const memberChanges = z
  .object({
    add: mediaIds.describe('Items to add, at most 1000. Those that are in it already stay.'),
    remove: mediaIds.describe('Items to remove, at most 1000. Those that are not in it are ignored.'),
  })
  .refine(({ add, remove }) => add !== undefined || remove !== undefined, 'must hold `add` or `remove`')
  .meta({ examples: [{ add: [itemId] }] });
export type MemberChanges = z.output<typeof memberChanges>;

/** What a request changed: to undo it, send the two the other way round. */
export const changedMembers = z
  .object({
    added: z.array(identifier).describe('The items that were not in it before.'),
    removed: z.array(identifier).describe('The items that were in it before.'),
    media_count: z.int().min(0).describe('Items in it now.'),
  })
  .meta({ id: 'ChangedMembers', examples: [{ added: [itemId], removed: [], media_count: 32 }] });

export const mergeBody = z
  .object({ into: identifier.describe('The tag that the items get instead.') })
  .meta({ examples: [{ into: '01a1fbe4-6806-793e-a30f-22b8a44e4fb1' }] });

export const deletedGroup = z
  .object({ id: identifier, deleted: z.literal(true) })
  .meta({ id: 'DeletedGroup', examples: [{ id: exampleId, deleted: true }] });
