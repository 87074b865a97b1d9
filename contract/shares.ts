import { z } from 'zod';
import type { Operation } from './operation.ts';
import { idParams, identifier, mediaType, pageMeta, pageParameters, timestamp } from './parameters.ts';

const exampleId = '01a1fbe4-6806-793e-a30f-22b8a44e4fb0';
const exampleMedia = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';

/** The longest moment that is shared as a clip of its own, seconds. */
const maxSharedSeconds = 300;

const seconds = z.number().min(0).max(1e7);

const share = z
  .object({
    id: identifier,
    url: z.url().describe('The public page. It needs no key: the link is enough.'),
    media_id: identifier,
    filename: z.string().describe('Of the item. The page does not show it.'),
    type: mediaType,
    start: z.number().min(0).nullable().describe('Seconds; null: the whole item.'),
    end: z.number().min(0).nullable().describe('Seconds; null: the whole item.'),
    title: z.string().nullable().describe('What the page is called.'),
    thumbnail: z.url().nullable().describe('Signed, expiring.'),
    created_by: z
      .string()
      .nullable()
      .describe('The name of the person who made it in the dashboard; null: a script with a key.'),
    created_at: timestamp,
    expires_at: timestamp,
    views: z.int().min(0).describe('How often the page was opened, also by chat programs that show a preview.'),
  })
  .meta({
    id: 'Share',
    examples: [
      {
        id: exampleId,
        url: 'http://127.0.0.1:8080/s/b2g3bGk0c2Vhc2lkZWhhcmJvdXJtb3JuaW5nbGlnaHQ',
        media_id: exampleMedia,
        filename: 'harbour.mp4',
        type: 'video',
        start: 12.5,
        end: 17.04,
        title: 'The ferry leaves',
        thumbnail: null,
        created_by: 'Ana Lima',
        created_at: '2026-11-22T09:30:00.000Z',
        expires_at: '2026-11-29T09:30:00.000Z',
        views: 3,
      },
    ],
  });

const shareBody = z
  .object({
    media_id: identifier.describe('A complete item.'),
    start: seconds
      .optional()
      .describe(
        'Of a moment, seconds; only of a video, with `end`. Both may be 0 for a photograph, as hits have them.',
      ),
    end: seconds.optional().describe(`Of a moment, seconds; at most ${maxSharedSeconds} after \`start\`.`),
    title: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('What the page is called; without one it names nothing.'),
    expires_in_hours: z.int().min(1).max(8760).default(168).describe('7 days where left out, 365 at most.'),
  })
  .refine(
    ({ start, end }) => (start === undefined) === (end === undefined),
    'must hold both `start` and `end`, or neither',
  )
  .refine(({ start = 0, end = 1 }) => end > start || (start === 0 && end === 0), {
    path: ['end'],
    message: 'must be after `start`',
  })
  .refine(({ start = 0, end = 0 }) => end - start <= maxSharedSeconds, {
    path: ['end'],
    message: `must be at most ${maxSharedSeconds} seconds after \`start\`; share the whole video instead`,
  })
  .meta({ examples: [{ media_id: exampleMedia, start: 12.5, end: 17.04, title: 'The ferry leaves' }] });

/** Public links to items and moments. */
export const shareOperations = {
  listShares: {
    method: 'GET',
    path: '/shares',
    tag: 'Shares',
    access: 'key',
    summary: 'List the public links of the workspace.',
    query: z.object(pageParameters),
    responses: { 200: 'Those that work, the newest first.' },
    data: z.array(share),
    meta: pageMeta,
    errors: [],
  },
  createShare: {
    method: 'POST',
    path: '/shares',
    tag: 'Shares',
    access: 'key',
    summary: 'Create a public link to an item or to a moment of it.',
    description:
      'The page under the link plays or shows just that. Of a moment a clip is cut, and a photograph is encoded again with at most 2560 ' +
      'pixels: camera, place and the rest of the video stay behind. A whole video is given as it is. The link ends when it expires or is ' +
      'revoked, and while the item is in the trash. Repeated with the same `Idempotency-Key` it gives the same link, and 404 where that has ended.',
    body: shareBody,
    idempotent: true,
    responses: { 201: 'The new link. `Location` is its page.' },
    status: 201,
    data: share,
    errors: ['not_found', 'not_ready', 'unreadable_media'],
  },
  deleteShare: {
    method: 'DELETE',
    path: '/shares/:id',
    tag: 'Shares',
    access: 'key',
    summary: 'Revoke a public link.',
    params: idParams,
    responses: { 200: 'From now on it gives nothing, not even the rest of what is being played.' },
    data: z.object({ id: identifier, deleted: z.literal(true) }).meta({ examples: [{ id: exampleId, deleted: true }] }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
