import { z } from 'zod';
import { labelName, listByNameQuery } from './creators.ts';
import type { Operation } from './operation.ts';
import { identifier, idParams, pageMeta, timestamp } from './parameters.ts';

/** Most saved searches of a workspace. */
export const maxSavedSearches = 1000;

const savedView = {
  page: z.enum(['search', 'highlights', 'library']).describe('The page of the dashboard that shows it.'),
  parameters: z
    .record(z.string().regex(/^[a-z_]{1,32}$/, 'must have names of small letters'), z.string().min(1).max(1000))
    .refine((parameters) => Object.keys(parameters).length <= 30, 'must have at most 30 entries')
    .describe('The parameters of its URL: query, filters, order and options.'),
};

const exampleView = {
  name: 'Ferries in summer',
  page: 'search',
  parameters: { q: 'ferry in a blue harbour', type: 'video', from: '2026-06-01' },
} as const;

const savedSearch = z.object({ id: identifier, name: z.string(), ...savedView, created_at: timestamp }).meta({
  id: 'SavedSearch',
  examples: [{ id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc0', ...exampleView, created_at: '2026-11-20T16:05:00.000Z' }],
});
export type SavedSearch = z.output<typeof savedSearch>;

const savedSearchBody = z.object({ name: labelName, ...savedView }).meta({ examples: [exampleView] });
export type SavedSearchBody = z.output<typeof savedSearchBody>;

const savedSearchName = z.object({ name: labelName }).meta({ examples: [{ name: 'Ferries' }] });

/** Searches, and views of the library, that a workspace has under a name. */
export const savedSearchOperations = {
  listSavedSearches: {
    method: 'GET',
    path: '/saved-searches',
    tag: 'Saved searches',
    access: 'key',
    addition: true,
    summary: 'List saved searches.',
    query: listByNameQuery,
    responses: { 200: 'The saved searches of this page, the newest first.' },
    data: z.array(savedSearch),
    meta: pageMeta,
    errors: [],
  },
  createSavedSearch: {
    method: 'POST',
    path: '/saved-searches',
    tag: 'Saved searches',
    access: 'key',
    addition: true,
    summary: 'Save a search.',
    body: savedSearchBody,
    responses: { 201: 'The new saved search. `Location` names it.' },
    status: 201,
    data: savedSearch,
    errors: ['already_exists', 'quota_exceeded'],
  },
  getSavedSearch: {
    method: 'GET',
    path: '/saved-searches/:id',
    tag: 'Saved searches',
    access: 'key',
    addition: true,
    summary: 'Get one saved search.',
    params: idParams,
    responses: { 200: 'The saved search.' },
    data: savedSearch,
    errors: ['not_found'],
  },
  renameSavedSearch: {
    method: 'PATCH',
    path: '/saved-searches/:id',
    tag: 'Saved searches',
    access: 'key',
    addition: true,
    summary: 'Rename a saved search.',
    params: idParams,
    body: savedSearchName,
    responses: { 200: 'The changed saved search.' },
    data: savedSearch,
    errors: ['not_found', 'already_exists'],
  },
  deleteSavedSearch: {
    method: 'DELETE',
    path: '/saved-searches/:id',
    tag: 'Saved searches',
    access: 'key',
    addition: true,
    summary: 'Delete a saved search.',
    params: idParams,
    responses: { 200: 'Deleted.' },
    data: z
      .object({ id: identifier, deleted: z.literal(true) })
      .meta({ examples: [{ id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc0', deleted: true }] }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
