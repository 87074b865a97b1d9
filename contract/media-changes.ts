import { z } from 'zod';
import { listParameters } from './filters.ts';
import { rating } from './media.ts';
import type { BodyLimit, Operation } from './operation.ts';
import { identifier, idParams, timestamp } from './parameters.ts';

const exampleId = '01a1fbe4-6806-793e-a30f-22b8a44e4fd0';
const tagId = '01a1fbe4-6806-793e-a30f-22b8a44e4fb1';

/** Most identifiers that a change may name. */
const maxIds = 20_000;
const changeBodyLimit: BodyLimit = { bytes: 2 ** 20, members: maxIds + 1000 };

const ids = z.array(identifier).max(maxIds, `must have at most ${maxIds} entries`);

/** Which items. As everywhere, a field of another name is refused: a filter with a typing error would mean far more than was asked for. */
const changedItems = z
  .object({
    ids: ids.min(1, 'must not be empty').optional().describe('These items. Those that do not exist are skipped.'),
    filter: z
      .object(listParameters)
      .optional()
      .describe(
        'In place of `ids`, the items that the filters of `GET /media` leave; `{}`: all. With `restore`, those in the trash.',
      ),
    except_ids: ids.optional().describe('With `filter`: all but these.'),
  })
  .superRefine((items, context) => {
    const wrong = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] });
    if ((items.ids === undefined) === (items.filter === undefined)) wrong('must be given, or `filter`', 'ids');
    if (items.except_ids !== undefined && items.filter === undefined) wrong('needs a `filter`', 'except_ids');
  });
export type ChangedItems = z.output<typeof changedItems>;

const groupIds = z.array(identifier).min(1, 'must not be empty').max(20, 'must have at most 20 entries').optional();
const yes = z.literal(true, 'must be true, or left out').optional();

const alone = ['delete', 'restore', 'retry'] as const;

/** What happens to each item. */
const changeOfItems = z
  .object({
    creator_id: identifier.nullable().optional().describe('A creator of this workspace, or null to clear it.'),
    category_id: identifier.nullable().optional().describe('A category of this workspace, or null to clear it.'),
    rating: rating.optional().describe('Stars, 1 to 5; 0 takes the rating away.'),
    add_tag_ids: groupIds.describe('Tags that they get.'),
    remove_tag_ids: groupIds.describe('Tags that they lose.'),
    add_collection_ids: groupIds.describe('Collections that they go into.'),
    remove_collection_ids: groupIds.describe('Collections that they leave.'),
    delete: yes.describe('They move to the trash.'),
    restore: yes.describe('They leave the trash.'),
    retry: yes.describe('They are tried again, as by `POST /media/:id/retry`. It cannot be undone.'),
  })
  .superRefine((change, context) => {
    const given = Object.keys(change);
    const single = alone.find((name) => change[name]);
    if (given.length === 0) context.addIssue({ code: 'custom', message: 'must hold at least one field' });
    if (single !== undefined && given.length > 1)
      context.addIssue({ code: 'custom', message: 'must be the only field', path: [single] });
  });
export type ChangeOfItems = z.output<typeof changeOfItems>;

const changeBody = z
  .object({ items: changedItems, change: changeOfItems })
  .meta({ examples: [{ items: { filter: { rating_min: 4 } }, change: { add_tag_ids: [tagId] } }] });
export type ChangeBody = z.output<typeof changeBody>;

/** Changes of a workspace that may be under way at a time. */
export const maxRunningChanges = 20;

const count = z.int().min(0);

export const mediaChange = z
  .object({
    id: identifier,
    state: z
      .enum(['running', 'done', 'cancelled', 'failed'])
      .describe('`failed`: the service gave up; what was changed until then stays, and can be undone.'),
    total: count.describe('The items that were found when it began.'),
    done: count.describe('Items that were changed.'),
    skipped: count.describe('Items that were so already, or are gone.'),
    failed: count.describe('Items that could not be changed, such as for a quota.'),
    undoes: identifier.nullable().describe('The change that this one sets back; null: none.'),
    can_undo: z.boolean().describe('Whether `POST /changes/:id/undo` sets back what it changed.'),
    created_at: timestamp,
    ended_at: timestamp.nullable().describe('Null while it runs.'),
  })
  .meta({
    id: 'MediaChange',
    examples: [
      {
        id: exampleId,
        state: 'running',
        total: 20_000,
        done: 4500,
        skipped: 0,
        failed: 0,
        undoes: null,
        can_undo: false,
        created_at: '2026-11-21T09:30:00.000Z',
        ended_at: null,
      },
    ],
  });
export type MediaChange = z.output<typeof mediaChange>;

/** Changes of many items at once. */
export const mediaChangeOperations = {
  changeMedia: {
    method: 'POST',
    path: '/changes',
    tag: 'Media',
    access: 'key',
    summary: 'Change many items at once: all that a filter leaves, or those that are named.',
    description:
      'The items are fixed when it begins. It goes on by itself, also after a restart, some hundred items at a time; one of few items has often ended with the answer. ' +
      `What it changed can be undone for 24 hours, or until some millions of items were changed since. A workspace may have ${maxRunningChanges} under way.`,
    body: changeBody,
    bodyLimit: changeBodyLimit,
    idempotent: true,
    responses: { 201: 'The change. `Location` names it.' },
    status: 201,
    data: mediaChange,
    errors: [],
  },
  getMediaChange: {
    method: 'GET',
    path: '/changes/:id',
    tag: 'Media',
    access: 'key',
    summary: 'Get the progress of a change of many items.',
    params: idParams,
    responses: { 200: 'The change.' },
    data: mediaChange,
    errors: ['not_found'],
  },
  cancelMediaChange: {
    method: 'DELETE',
    path: '/changes/:id',
    tag: 'Media',
    access: 'key',
    summary: 'Cancel what is not done yet of a change of many items.',
    description: 'What is changed stays so, and can be undone. One that has ended stays as it is.',
    params: idParams,
    responses: { 200: 'The change.' },
    data: mediaChange,
    errors: ['not_found'],
  },
  undoMediaChange: {
    method: 'POST',
    path: '/changes/:id/undo',
    tag: 'Media',
    access: 'key',
    summary: 'Undo a change of many items.',
    description:
      'A change of its own, with progress. It sets back what that change did to each item, unless it was changed again since. 409 while the change runs, after it was undone, and of what cannot be undone.',
    params: idParams,
    responses: { 201: 'The change that undoes. `Location` names it.' },
    status: 201,
    data: mediaChange,
    errors: ['not_found', 'not_ready'],
  },
} as const satisfies Record<string, Operation>;
