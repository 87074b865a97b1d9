import { z } from 'zod';
import { review, reviewState } from './media.ts';
import type { Operation } from './operation.ts';
import { deleted, idParams, identifier, mediaType, pageMeta, pageParameters, timestamp } from './parameters.ts';

/** Most comments of an item, replies among them. */
export const maxComments = 1000;

const exampleId = '01a1fbe4-7b10-7c11-8a54-27c9d4b0e0a1';
const exampleMedia = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
const examplePerson = '01a1fbe4-6806-793e-a30f-22b8a44e4fb0';

const text = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .refine((value) => Array.from(value).length <= 4000, 'must have at most 4000 characters')
  .meta({ maxLength: 4000 });
const seconds = z.number().min(0).max(1e7);
const point = z.object({
  x: z.number().min(0).max(1).describe('From the left, a fraction of the width.'),
  y: z.number().min(0).max(1).describe('From the top, a fraction of the height.'),
});
const mentions = z
  .array(identifier)
  .max(20, 'must have at most 20 entries')
  .describe('Members of the workspace whom it is to reach. Others are ignored.');

const exampleComment = {
  id: exampleId,
  media_id: exampleMedia,
  parent_id: null,
  author: { kind: 'member', id: examplePerson, name: 'Ana Lima' },
  text: 'Cut here, @Bo Chen: the ferry is gone.',
  start: 12.5,
  end: null,
  point: { x: 0.42, y: 0.6 },
  mentions: [{ id: '01a1fbe4-6806-793e-a30f-22b8a44e4fb1', name: 'Bo Chen' }],
  resolved: null,
  created_at: '2026-11-22T14:00:00.000Z',
  edited_at: null,
};

/** A comment on an item. */
export const comment = z
  .object({
    id: identifier,
    media_id: identifier,
    parent_id: identifier.nullable().describe('The comment that it replies to.'),
    author: z
      .object({
        kind: z
          .enum(['member', 'key', 'guest'])
          .describe('A person of the workspace, a program with a key, or a visitor of a public link.'),
        id: identifier.nullable().describe('Of the person or the key.'),
        name: z.string().describe('Of a guest the one that they gave: nobody checked it.'),
      })
      .describe('Who wrote it.'),
    text: z.string().describe('Plain text to show, never HTML.'),
    start: z.number().min(0).nullable().describe('Seconds of a video; null: about the whole item.'),
    end: z.number().min(0).nullable().describe('Seconds; null: a moment, or the whole item.'),
    point: point.nullable().describe('A place in the picture.'),
    mentions: z.array(z.object({ id: identifier, name: z.string() })).describe('The members whom it is to reach.'),
    resolved: z.object({ at: timestamp, by: z.string().nullable() }).nullable().describe('Null: open, or a reply.'),
    created_at: timestamp,
    edited_at: timestamp.nullable(),
  })
  .meta({ id: 'Comment', examples: [exampleComment] });
export type Comment = z.output<typeof comment>;

const commentBody = z
  .object({
    text,
    parent_id: identifier.optional().describe('A comment on the same item, which is no reply itself.'),
    start: seconds.optional().describe('Of a moment or a span of a video, seconds.'),
    end: seconds.optional().describe('Of a span, seconds, after `start`.'),
    point: point.optional(),
    mentions: mentions.optional(),
  })
  .refine(({ start, end }) => end === undefined || (start !== undefined && end > start), {
    path: ['end'],
    message: 'must be after `start`',
  })
  .refine(
    ({ parent_id, start, point: place }) => parent_id === undefined || (start === undefined && place === undefined),
    { path: ['parent_id'], message: 'must come without `start` and `point`: a reply is where its comment is' },
  )
  .meta({ examples: [{ text: 'Cut here.', start: 12.5, point: { x: 0.42, y: 0.6 } }] });
export type CommentBody = z.output<typeof commentBody>;

const commentChanges = z
  .object({
    text: text.optional().describe('Of one’s own comments.'),
    mentions: mentions.optional(),
    resolved: z.boolean().optional().describe('Of a comment, not of a reply.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must hold at least one field')
  .meta({ examples: [{ resolved: true }] });
export type CommentChanges = z.output<typeof commentChanges>;

/** A comment that mentions the person who asks, and they have not seen. */
const mention = z
  .object({
    comment,
    media: z.object({ id: identifier, filename: z.string(), type: mediaType, thumbnail: z.url().nullable() }),
  })
  .meta({
    id: 'Mention',
    examples: [
      {
        comment: exampleComment,
        media: { id: exampleMedia, filename: 'harbour.mp4', type: 'video', thumbnail: null },
      },
    ],
  });

/** Comments on items, and what a review decides of them. */
export const commentOperations = {
  listComments: {
    method: 'GET',
    path: '/media/:id/comments',
    tag: 'Comments',
    access: 'key',
    summary: 'List the comments on an item, replies among them.',
    params: idParams,
    query: z.object(pageParameters),
    responses: { 200: 'Its comments, the oldest first.' },
    data: z.array(comment),
    meta: pageMeta,
    errors: ['not_found'],
  },
  createComment: {
    method: 'POST',
    path: '/media/:id/comments',
    tag: 'Comments',
    access: 'key',
    summary: 'Comment on an item, a moment or a span of it.',
    description: `At most ${maxComments} comments an item. It is written by the person who is signed in to the dashboard, or else in the name of the key.`,
    params: idParams,
    body: commentBody,
    idempotent: true,
    responses: { 201: 'The new comment.' },
    status: 201,
    data: comment,
    errors: ['not_found'],
  },
  getComment: {
    method: 'GET',
    path: '/comments/:id',
    tag: 'Comments',
    access: 'key',
    summary: 'Read a comment.',
    params: idParams,
    responses: { 200: 'The comment.' },
    data: comment,
    errors: ['not_found'],
  },
  updateComment: {
    method: 'PATCH',
    path: '/comments/:id',
    tag: 'Comments',
    access: 'key',
    summary: 'Change a comment, resolve it or open it again.',
    description: 'Only its author changes its text; anyone resolves it.',
    params: idParams,
    body: commentChanges,
    responses: { 200: 'The changed comment.' },
    data: comment,
    errors: ['not_found', 'forbidden'],
  },
  deleteComment: {
    method: 'DELETE',
    path: '/comments/:id',
    tag: 'Comments',
    access: 'key',
    summary: 'Delete a comment with its replies.',
    description: 'Its author may, an owner of the workspace, and anyone where a guest wrote it.',
    params: idParams,
    responses: { 200: 'Deleted.' },
    data: deleted,
    errors: ['not_found', 'forbidden'],
  },
  reviewMedia: {
    method: 'POST',
    path: '/media/:id/review',
    tag: 'Comments',
    access: 'key',
    summary: 'Approve an item, or say that it needs changes.',
    params: idParams,
    body: z
      .object({ state: reviewState.describe('`none` takes the decision back.') })
      .meta({ examples: [{ state: 'approved' }] }),
    responses: { 200: 'The decision.' },
    data: review.meta({
      id: 'Review',
      examples: [{ state: 'approved', by: 'Ana Lima', at: '2026-11-22T14:03:00.000Z' }],
    }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

/** What reaches the person who is signed in. */
export const mentionOperations = {
  listMentions: {
    method: 'GET',
    path: '/manage/mentions',
    tag: 'Comments',
    access: 'member',
    summary: 'List the comments that mention the person who is signed in and that they have not seen.',
    responses: { 200: 'The latest 50, the newest first.' },
    data: z.array(mention),
    errors: [],
  },
  seeMentions: {
    method: 'POST',
    path: '/manage/mentions/seen',
    tag: 'Comments',
    access: 'member',
    summary: 'Note that the mentions on an item, or all of them, were seen.',
    body: z.object({ media_id: identifier.optional() }).meta({ examples: [{ media_id: exampleMedia }] }),
    responses: { 200: 'How many were new.' },
    data: z.object({ seen: z.int().min(0) }).meta({ examples: [{ seen: 2 }] }),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
