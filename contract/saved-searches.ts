import { z } from 'zod';
import { labelName, listByNameQuery } from './creators.ts';
import { changeNamed, createNamed, deleteNamed, getNamed, listNamed } from './named-operations.ts';
import type { Operation } from './operation.ts';
import { identifier, timestamp } from './parameters.ts';

/** Most saved searches of a workspace. */
export const maxSavedSearches = 1000;
/** Most of them that tell of new matches: each new item is compared with each. */
export const maxNotifying = 50;

const savedView = {
  page: z.enum(['search', 'highlights', 'library']).describe('The page of the dashboard that shows it.'),
  parameters: z
    .record(z.string().regex(/^[a-z_]{1,32}$/, 'must have names of small letters'), z.string().min(1).max(1000))
    .refine((parameters) => Object.keys(parameters).length <= 30, 'must have at most 30 entries')
    .describe(
      'The parameters of the API: of the search (`media_id`, `at`, `chunk_id` of the search by an item), of the highlights, or of the list of items. Others say how ' +
        'the dashboard shows the results, such as `group` and `view`.',
    ),
};

const exampleView = {
  name: 'Ferries in summer',
  page: 'search',
  parameters: { q: 'ferry in a blue harbour', type: 'video', taken_after: '2026-06-01' },
} as const;

const notify = z
  .boolean()
  .describe(
    'Whether items that are added from now on are reported when they match, by the event `search.saved_match`. Of page `search`, with `q` or `media_id`; at most ' +
      `${maxNotifying} of a workspace.`,
  );

const savedSearch = z
  .object({
    id: identifier,
    name: z.string(),
    ...savedView,
    notify,
    new_matches: z.int().min(0).describe('Matches that were reported since it was set to 0.'),
    created_at: timestamp,
  })
  .meta({
    id: 'SavedSearch',
    examples: [
      {
        id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc0',
        ...exampleView,
        notify: true,
        new_matches: 2,
        created_at: '2026-11-20T16:05:00.000Z',
      },
    ],
  });
export type SavedSearch = z.output<typeof savedSearch>;

const savedSearchBody = z
  .object({ name: labelName, ...savedView, notify: notify.default(false) })
  .meta({ examples: [exampleView] });
export type SavedSearchBody = z.output<typeof savedSearchBody>;

const savedSearchChanges = z
  .object({
    name: labelName.optional(),
    notify: notify.optional(),
    new_matches: z.literal(0).optional().describe('Marks them as seen.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must hold `name`, `notify` or `new_matches`')
  .meta({ examples: [{ name: 'Ferries', notify: true }] });
export type SavedSearchChanges = z.output<typeof savedSearchChanges>;

const named = {
  path: '/saved-searches',
  noun: 'saved search',
  plural: 'saved searches',
  tag: 'Saved searches',
  access: 'key',
  item: savedSearch,
} as const;

/** Searches, and views of the library, that a workspace has under a name. */
export const savedSearchOperations = {
  listSavedSearches: listNamed(named, listByNameQuery, 'the newest first'),
  createSavedSearch: createNamed(named, savedSearchBody, { summary: 'Save a search.', errors: ['quota_exceeded'] }),
  getSavedSearch: getNamed(named),
  updateSavedSearch: changeNamed(named, savedSearchChanges, {
    summary: 'Rename a saved search, or have it tell of new matches.',
    errors: ['quota_exceeded'],
  }),
  deleteSavedSearch: deleteNamed(
    named,
    'Delete a saved search.',
    z
      .object({ id: identifier, deleted: z.literal(true) })
      .meta({ examples: [{ id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc0', deleted: true }] }),
  ),
} as const satisfies Record<string, Operation>;
