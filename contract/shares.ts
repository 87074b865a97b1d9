import { z } from 'zod';
import { listFilterParameters } from './filters.ts';
import { listsBodyLimit, type Operation } from './operation.ts';
import { idParams, identifier, mediaType, pageMeta, pageParameters, timestamp } from './parameters.ts';

const exampleId = '01a1fbe4-6806-793e-a30f-22b8a44e4fb0';
const exampleMedia = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';

/** The longest moment that is shared as a clip of its own, seconds. */
const maxSharedSeconds = 300;

/** Most items of a link to a selection, and of a collection that a link shows. */
export const maxSharedItems = 1000;

const seconds = z.number().min(0).max(1e7);

const shareDownload = z.enum(['none', 'rendition', 'original']);
export type ShareDownload = z.output<typeof shareDownload>;

const shareComments = z.enum(['none', 'read', 'write']);
export type ShareComments = z.output<typeof shareComments>;

const settings = {
  download: shareDownload.describe(
    '`rendition`: what the page shows can be stored, photographs without camera and place; `original`: the files as they were uploaded.',
  ),
  comments: shareComments.describe(
    '`read`: the page shows the comments on the items; `write`: visitors comment too, under a name that they give.',
  ),
};

const share = z
  .object({
    id: identifier,
    url: z.url().describe('The public page. It needs no key: the link is enough, with its password where it has one.'),
    kind: z.enum(['item', 'moment', 'collection', 'selection']),
    media_id: identifier.nullable().describe('Of an item or a moment.'),
    collection_id: identifier.nullable(),
    filename: z
      .string()
      .describe('Of the item, or the name of the collection; of a selection empty. The page does not show it.'),
    type: mediaType.nullable().describe('Of an item or a moment.'),
    start: z.number().min(0).nullable().describe('Seconds; null: the whole item.'),
    end: z.number().min(0).nullable().describe('Seconds; null: the whole item.'),
    items: z.int().min(0).describe('How many items the page shows.'),
    title: z.string().nullable().describe('What the page is called.'),
    note: z.string().nullable().describe('What the page says below its title.'),
    thumbnail: z.url().nullable().describe('Signed, expiring.'),
    ...settings,
    has_password: z.boolean(),
    created_by: z
      .string()
      .nullable()
      .describe('The name of the person who made it in the dashboard; null: a script with a key.'),
    created_at: timestamp,
    expires_at: timestamp,
    views: z.int().min(0).describe('How often the page was opened, also by chat programs that show a preview.'),
    downloads: z.int().min(0).describe('How many files were stored; an archive counts once.'),
  })
  .meta({
    id: 'Share',
    examples: [
      {
        id: exampleId,
        url: 'http://127.0.0.1:8080/s/b2g3bGk0c2Vhc2lkZWhhcmJvdXJtb3JuaW5nbGlnaHQ',
        kind: 'moment',
        media_id: exampleMedia,
        collection_id: null,
        filename: 'harbour.mp4',
        type: 'video',
        start: 12.5,
        end: 17.04,
        items: 1,
        title: 'The ferry leaves',
        note: null,
        thumbnail: null,
        download: 'none',
        comments: 'none',
        has_password: false,
        created_by: 'Ana Lima',
        created_at: '2026-11-22T09:30:00.000Z',
        expires_at: '2026-11-29T09:30:00.000Z',
        views: 3,
        downloads: 0,
      },
    ],
  });

const title = z.string().trim().min(1).max(200);
const note = z.string().trim().min(1).max(2000);
/** The same as for passwords of accounts, which guessing costs as much. */
const password = z.string().min(10, 'must have at least 10 characters').max(200);
const hours = z.int().min(1).max(8760);

const shareBody = z
  .object({
    media_id: identifier.optional().describe('A complete item.'),
    collection_id: identifier.optional().describe('A collection; what is added to it later is shown too.'),
    ids: z
      .array(identifier)
      .min(1)
      .max(maxSharedItems, `must have at most ${maxSharedItems} entries`)
      .optional()
      .describe('A selection of items, in their order. Those that are not complete are left out.'),
    filter: z
      .object(listFilterParameters)
      .optional()
      .describe(`The items that pass now, the newest first, at most ${maxSharedItems}.`),
    start: seconds
      .optional()
      .describe(
        'Of a moment, seconds; only of a video, with `end`. Both may be 0 for a photograph, as hits have them.',
      ),
    end: seconds.optional().describe(`Of a moment, seconds; at most ${maxSharedSeconds} after \`start\`.`),
    title: title.optional().describe('What the page is called; without one it names nothing.'),
    note: note.optional().describe('What the page says below its title.'),
    download: settings.download.default('none'),
    comments: settings.comments.default('none'),
    password: password.optional().describe('What visitors have to know besides the link.'),
    expires_in_hours: hours.default(168).describe('7 days where left out, 365 at most.'),
  })
  .refine(
    ({ media_id, collection_id, ids, filter }) =>
      [media_id, collection_id, ids, filter].filter((target) => target !== undefined).length === 1,
    'must hold one of `media_id`, `collection_id`, `ids` and `filter`',
  )
  .refine(
    ({ start, end }) => (start === undefined) === (end === undefined),
    'must hold both `start` and `end`, or neither',
  )
  .refine(({ start, media_id }) => start === undefined || media_id !== undefined, {
    path: ['start'],
    message: 'must come with `media_id`',
  })
  .refine(({ start = 0, end = 1 }) => end > start || (start === 0 && end === 0), {
    path: ['end'],
    message: 'must be after `start`',
  })
  .refine(({ start = 0, end = 0 }) => end - start <= maxSharedSeconds, {
    path: ['end'],
    message: `must be at most ${maxSharedSeconds} seconds after \`start\`; share the whole video instead`,
  })
  .meta({ examples: [{ media_id: exampleMedia, start: 12.5, end: 17.04, title: 'The ferry leaves' }] });

const shareChanges = z
  .object({
    title: title.nullable().optional(),
    note: note.nullable().optional(),
    download: settings.download.optional(),
    comments: settings.comments.optional(),
    password: password.nullable().optional().describe('Another password, or null for none.'),
    expires_in_hours: hours.optional().describe('From now on.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must hold at least one field')
  .meta({ examples: [{ expires_in_hours: 720 }] });

/** Public links to items, moments, collections and selections. */
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
    summary: 'Create a public link to an item, a moment of it, a collection or a selection of items.',
    description:
      'The page under the link plays or shows just that. Of a moment a clip is cut, and a photograph is encoded again with at most 2560 ' +
      'pixels: camera, place and the rest of the video stay behind. A whole video is given as it is, and with `download: original` every file ' +
      'is. The link ends when it expires or is revoked, and shows no item that is in the trash. Repeated with the same `Idempotency-Key` it gives the same link, and 404 where that has ended.',
    body: shareBody,
    bodyLimit: listsBodyLimit,
    idempotent: true,
    responses: { 201: 'The new link. `Location` is its page.' },
    status: 201,
    data: share,
    errors: ['not_found', 'not_ready', 'unreadable_media'],
  },
  updateShare: {
    method: 'PATCH',
    path: '/shares/:id',
    tag: 'Shares',
    access: 'key',
    summary: 'Change what a public link allows, or when it expires.',
    description: 'Another password ends the visits of those who gave the one before.',
    params: idParams,
    body: shareChanges,
    responses: { 200: 'The changed link.' },
    data: share,
    errors: ['not_found'],
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
