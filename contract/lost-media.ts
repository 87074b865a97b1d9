import { z } from 'zod';
import { identifier, timestamp } from './parameters.ts';

/** A file of the workspace that the catalog does not list any more. */
export const lostMedia = z
  .object({
    id: identifier,
    filename: z.string().nullable().describe('Null when it was not noted: the file is from before that.'),
    size: z.int().min(0).describe('Bytes.'),
    reason: z.string(),
    found_at: timestamp,
    removed_at: timestamp.describe('When it is removed for good.'),
  })
  .meta({
    examples: [
      {
        id: '01a1fbe4-6806-793e-a30f-22b8a44e4f91',
        filename: 'harbour.mp4',
        size: 48_210_332,
        reason: 'The catalog lists no item for these files.',
        found_at: '2026-11-21T09:30:00.000Z',
        removed_at: '2026-12-21T09:30:00.000Z',
      },
    ],
  });

export const restoredMedia = z
  .object({
    id: identifier.describe('The new item, or the one that holds the same bytes already.'),
    duplicate: z.boolean().describe('Whether the workspace had these bytes already.'),
  })
  .meta({ examples: [{ id: '01a1fbe4-6806-793e-a30f-22b8a44e4f92', duplicate: false }] });
