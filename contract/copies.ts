import { z } from 'zod';
import { mediaChange } from './media-changes.ts';
import { exampleItem, mediaItem } from './media.ts';
import type { Operation } from './operation.ts';
import { identifier, idParams, integerParameter, pageMeta, pageParameters } from './parameters.ts';
import { maxQueryVideoBytes, maxQueryVideoSeconds } from './query-video.ts';

const seconds = z.number().min(0);

const exampleId = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
const otherId = '01a1fbe4-6806-793e-a30f-22b8a44e4f86';

/** The same footage in two items. */
const sharedSpan = z
  .object({
    start: seconds.describe('Start in the first item, in seconds; 0 for an image.'),
    end: seconds,
    other_start: seconds.describe('Start in the other item, in seconds; 0 for an image.'),
    other_end: seconds,
    speed: z
      .number()
      .min(0)
      .describe('Seconds of the other item that pass in a second of the first; 1: the same speed.'),
    mirrored: z.boolean(),
    cropped: z.number().min(0).max(1).describe('Share of the area that one of both leaves out.'),
    score: z.number().min(0).max(1).describe('How alike both are.'),
  })
  .meta({ id: 'SharedSpan' });

const copyKind = z
  .enum(['same', 'version', 'contains', 'contained_in', 'overlaps'])
  .describe(
    'What the other is to the item: `same`: the same film or photograph; `version`: all of it in another size, crop, speed or grade, mirrored or letterboxed; ' +
      '`contains`: it holds all of the item; `contained_in`: it is a part of the item; `overlaps`: both hold some of the same.',
  );

const copyFields = {
  kind: copyKind,
  score: z.number().min(0).max(1),
  spans: z.array(sharedSpan).min(1).describe('What is the same, the surest first.'),
};

const exampleCopy = {
  kind: 'contains' as const,
  score: 0.96,
  spans: [
    { start: 0, end: 12.5, other_start: 40, other_end: 52.5, speed: 1, mirrored: false, cropped: 0, score: 0.96 },
  ],
};

const copy = z
  .object({ ...copyFields, item: mediaItem.describe('The other item.') })
  .meta({ id: 'Copy', examples: [{ ...exampleCopy, item: exampleItem }] });
export type Copy = z.output<typeof copy>;

const duplicateGroup = z
  .object({
    best_id: identifier.describe(
      'The copy to keep: one whose original is whole and within reach, then the longest, then the largest picture, then one that says when it was recorded, then the most bytes, then the oldest.',
    ),
    items: z.array(mediaItem).min(2).describe('The best first.'),
  })
  .meta({
    id: 'DuplicateGroup',
    examples: [{ best_id: exampleId, items: [exampleItem, { ...exampleItem, id: otherId }] }],
  });
export type DuplicateGroup = z.output<typeof duplicateGroup>;

const copySearch = z
  .object({
    state: z.enum(['running', 'paused', 'done']),
    total: z.int().min(0).describe('Complete items.'),
    pending: z.int().min(0).describe('Items of earlier versions that are not compared yet.'),
    seconds_left: z.int().min(0).nullable().describe('About how long it takes; null: unknown.'),
  })
  .meta({ id: 'CopySearch', examples: [{ state: 'running', total: 1200, pending: 300, seconds_left: 240 }] });
export type CopySearch = z.output<typeof copySearch>;

/** Most items of a group that are kept or dismissed at once: as many as the usual body may name. */
const maxCopies = 900;
const tooManyCopies = `must have at most ${maxCopies} entries`;
const otherIds = z.array(identifier).min(1, 'must not be empty').max(maxCopies, tooManyCopies);

const number = z.union([z.string(), z.number()]).transform(String);
const secondField = number
  .pipe(
    z
      .string()
      .regex(/^\d{1,9}(?:\.\d{1,9})?$/, 'must be a number of seconds')
      .transform(Number),
  )
  .optional();

const videoSearchMembers = {
  n: number.pipe(integerParameter(1, 50)).optional().describe('How many items to return, at most 50; 20 by default.'),
  start: secondField.describe('Where what is looked for begins, in seconds.'),
  end: secondField.describe('Where it ends.'),
};

/** The text fields of a form; the part `file` carries the video or the photograph. */
export const videoSearchFields = z.object(videoSearchMembers);
export type VideoSearchFields = z.output<typeof videoSearchFields>;

const videoSearchBody = z
  .object({ media_id: identifier.describe('An item of this workspace.'), ...videoSearchMembers })
  .meta({ examples: [{ media_id: exampleId, start: 10, end: 20 }] });

/** Where footage is used again. */
export const copyOperations = {
  listCopies: {
    method: 'GET',
    path: '/media/:id/copies',
    tag: 'Copies',
    access: 'key',
    summary: 'List where an item is used again.',
    description:
      'Other items that show the same footage: cut, cropped, mirrored, letterboxed, at another speed, graded, or in a compilation. Black, test cards, titles, and beginnings and ends that different items ' +
      'have in common are no reuse.',
    params: idParams,
    responses: { 200: 'The other items, the surest first.' },
    data: z.array(copy),
    errors: ['not_found'],
  },
  listDuplicates: {
    method: 'GET',
    path: '/media/duplicates',
    tag: 'Copies',
    access: 'key',
    summary: 'List groups of items that are the same or versions of each other.',
    query: z.object(pageParameters),
    responses: { 200: 'The groups, those with the newest items first.' },
    data: z.array(duplicateGroup),
    meta: pageMeta,
    errors: [],
  },
  keepBestCopy: {
    method: 'POST',
    path: '/media/duplicates/keep',
    tag: 'Copies',
    access: 'key',
    summary: 'Keep one item of a group, with the labels of all, and move the others to the trash.',
    description:
      'The item that is kept gets the tags and collections of the others, their best rating, and a creator and a category where it has none. Both steps are changes, which `POST /changes/:id/undo` sets back.',
    body: z
      .object({ keep_id: identifier, other_ids: otherIds })
      .meta({ examples: [{ keep_id: exampleId, other_ids: [otherId] }] }),
    responses: { 200: 'The changes: first the labels, where there were any to merge, then the trash.' },
    data: z.array(mediaChange),
    errors: ['not_found'],
  },
  dismissCopies: {
    method: 'POST',
    path: '/media/duplicates/dismiss',
    tag: 'Copies',
    access: 'key',
    summary: 'Say that items are not the same, or take that back.',
    body: z
      .object({
        ids: z.array(identifier).min(2, 'must have at least 2 entries').max(maxCopies, tooManyCopies),
        dismissed: z.boolean().default(true),
      })
      .meta({ examples: [{ ids: [exampleId, otherId], dismissed: true }] }),
    responses: { 200: 'How many pairs of these items were found to be the same.' },
    data: z.object({ pairs: z.int().min(0) }).meta({ examples: [{ pairs: 1 }] }),
    errors: [],
  },
  getCopySearch: {
    method: 'GET',
    path: '/media/copies',
    tag: 'Copies',
    access: 'key',
    summary: 'How far the search for copies in the library is.',
    description:
      'New items are compared as soon as they are indexed. Items of earlier versions are read again in the background.',
    responses: { 200: 'Its state.' },
    data: copySearch,
    errors: [],
  },
  updateCopySearch: {
    method: 'PATCH',
    path: '/media/copies',
    tag: 'Copies',
    access: 'key',
    summary: 'Pause or resume the search for copies in the library.',
    body: z.object({ paused: z.boolean() }).meta({ examples: [{ paused: true }] }),
    responses: { 200: 'Its state.' },
    data: copySearch,
    errors: [],
  },
  searchMediaByVideo: {
    method: 'POST',
    path: '/media/search/video',
    tag: 'Copies',
    access: 'key',
    summary: 'Find where a video or a photograph is used. The request is multipart or JSON.',
    description: `Looks for the footage of a file in the part \`file\` of a form (at most ${maxQueryVideoBytes / 2 ** 20} MiB and ${maxQueryVideoSeconds} seconds), or of an item, or of a part of either.`,
    body: videoSearchBody,
    form: videoSearchFields,
    responses: {
      200: 'Items that show it, the surest first, with spans on both sides; `start` and `end` are those of what was sent.',
    },
    data: z.array(copy),
    errors: ['quota_exceeded', 'not_found', 'not_ready', 'unreadable_media'],
  },
} as const satisfies Record<string, Operation>;
