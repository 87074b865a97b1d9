import { z } from 'zod';
import { deletedMedia } from './media.ts';
import { listsBodyLimit, type Operation } from './operation.ts';
import { identifier, idParams, mediaType, pageMeta, pageParameters, timestamp } from './parameters.ts';

const exampleId = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';

const trashedItem = z
  .object({
    id: identifier,
    filename: z.string(),
    type: mediaType,
    duration: z.number().min(0).nullable().describe('Seconds; null for images.'),
    size: z.int().min(0).describe('Bytes of the original.'),
    thumbnail: z.url().nullable().describe('Signed, expiring. No other file of an item in the trash is served.'),
    placeholder: z.string().nullable().describe('ThumbHash of the thumbnail in base64.'),
    created_at: timestamp,
    trashed_at: timestamp,
    removed_at: timestamp.describe('When it is deleted for good: 30 days after `trashed_at`.'),
  })
  .meta({
    id: 'TrashedItem',
    examples: [
      {
        id: exampleId,
        filename: 'harbour.mp4',
        type: 'video',
        duration: 42.6,
        size: 18_273_645,
        thumbnail: null,
        placeholder: '3OcRJYB4d3h/iIeHeEh3eIhw+j2w',
        created_at: '2026-11-21T09:30:00.000Z',
        trashed_at: '2026-11-22T09:30:00.000Z',
        removed_at: '2026-12-22T09:30:00.000Z',
      },
    ],
  });

const idsBody = z
  .object({ ids: z.array(identifier).min(1).max(1000).describe('Items. Those that do not exist are left out.') })
  .meta({ examples: [{ ids: [exampleId] }] });

const changedIds = (what: string) =>
  z.object({ ids: z.array(identifier).describe(what) }).meta({ examples: [{ ids: [exampleId] }] });

/** The trash: where deleted items stay for 30 days. `DELETE /media/:id` does not use it. */
export const trashOperations = {
  listTrash: {
    method: 'GET',
    path: '/trash',
    tag: 'Trash',
    access: 'key',
    summary: 'List the trash.',
    query: z.object(pageParameters),
    responses: { 200: 'The items of this page, what came last first.' },
    data: z.array(trashedItem),
    meta: pageMeta.extend({ storage_bytes: z.int().min(0).describe('Bytes of all originals in the trash.') }).meta({
      id: 'TrashMeta',
      examples: [{ total: 1, page: 1, per_page: 20, total_pages: 1, has_more: false, storage_bytes: 18_273_645 }],
    }),
    errors: [],
  },
  moveToTrash: {
    method: 'POST',
    path: '/trash',
    tag: 'Trash',
    access: 'key',
    summary: 'Move items to the trash.',
    description:
      'They leave every list and search at once, and are deleted after 30 days. Until then they count for storage and items. Uploading ' +
      'the same bytes restores an item. What is shown for a stack goes with all that stands behind it.',
    body: idsBody,
    bodyLimit: listsBodyLimit,
    responses: { 200: 'Those of the items that are in the trash now, and what stands behind them.' },
    data: changedIds('In the trash now, also if they were before.'),
    errors: [],
  },
  restoreFromTrash: {
    method: 'POST',
    path: '/trash/restore',
    tag: 'Trash',
    access: 'key',
    summary: 'Restore items from the trash.',
    body: idsBody,
    bodyLimit: listsBodyLimit,
    description: 'With what went there because it stands behind them in their stacks.',
    responses: { 200: 'Those of the items that are in the library now, with all they had.' },
    data: changedIds('In the library now, also if they were before.'),
    errors: [],
  },
  deleteFromTrash: {
    method: 'DELETE',
    path: '/trash/:id',
    tag: 'Trash',
    access: 'key',
    summary: 'Delete an item in the trash for good.',
    description: 'An item that was restored and is no longer in the trash is not deleted: 404.',
    params: idParams,
    responses: { 200: 'Gone, with its files.' },
    data: deletedMedia,
    errors: ['not_found'],
  },
  emptyTrash: {
    method: 'DELETE',
    path: '/trash',
    tag: 'Trash',
    access: 'key',
    summary: 'Delete everything in the trash for good.',
    responses: { 200: 'Gone, with what they used of the storage.' },
    data: z
      .object({ deleted: z.int().min(0), storage_bytes: z.int().min(0).describe('Bytes that are free again.') })
      .meta({ examples: [{ deleted: 3, storage_bytes: 52_000_000 }] }),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
