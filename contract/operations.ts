import { z } from 'zod';
import { captionOperations } from './captions.ts';
import { category } from './categories.ts';
import { creator, creatorBody, listLabelsQuery } from './creators.ts';
import { eventOperations } from './events.ts';
import { exportOperations } from './exports.ts';
import { frameOperations } from './frames.ts';
import { itemGroupOperations } from './item-group-operations.ts';
import { mediaOperations } from './media-operations.ts';
import type { Operation } from './operation.ts';
import { idParams, pageMeta } from './parameters.ts';
import { savedSearchOperations } from './saved-searches.ts';
import { searchOperations } from './search-operations.ts';
import { shareOperations } from './shares.ts';
import { trashOperations } from './trash.ts';
import { uploadOperations } from './uploads.ts';
import { workspace } from './workspace.ts';

/** The API: every operation below `/api/v1`. */
export const operations = {
  ...mediaOperations,
  ...uploadOperations,
  ...trashOperations,
  ...shareOperations,
  ...searchOperations,
  listCreators: {
    method: 'GET',
    path: '/creators',
    tag: 'Creators',
    access: 'key',
    summary: 'List creators.',
    query: listLabelsQuery,
    responses: { 200: 'The creators of this page, by name.' },
    data: z.array(creator),
    meta: pageMeta,
    errors: [],
  },
  createCreator: {
    method: 'POST',
    path: '/creators',
    tag: 'Creators',
    access: 'key',
    summary: 'Create a creator.',
    body: creatorBody,
    idempotent: true,
    responses: { 201: 'The new creator. `Location` names it.' },
    status: 201,
    data: creator,
    errors: ['already_exists'],
  },
  getCreator: {
    method: 'GET',
    path: '/creators/:id',
    tag: 'Creators',
    access: 'key',
    summary: 'Get one creator.',
    params: idParams,
    responses: { 200: 'The creator.' },
    data: creator,
    errors: ['not_found'],
  },
  listCategories: {
    method: 'GET',
    path: '/categories',
    tag: 'Categories',
    access: 'key',
    summary: 'List categories.',
    query: listLabelsQuery,
    responses: { 200: 'The categories of this page, by name.' },
    data: z.array(category),
    meta: pageMeta,
    errors: [],
  },
  getCategory: {
    method: 'GET',
    path: '/categories/:id',
    tag: 'Categories',
    access: 'key',
    summary: 'Get one category.',
    params: idParams,
    responses: { 200: 'The category.' },
    data: category,
    errors: ['not_found'],
  },
  ...itemGroupOperations,
  ...savedSearchOperations,
  ...captionOperations,
  ...frameOperations,
  ...exportOperations,
  ...eventOperations,
  getWorkspace: {
    method: 'GET',
    path: '/workspace',
    tag: 'Workspace',
    access: 'key',
    summary: 'Workspace info, plan and usage.',
    responses: { 200: 'The workspace of the API key.' },
    data: workspace,
    errors: [],
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Description',
    access: 'anyone',
    summary: 'OpenAPI 3.1 description of the API. No authentication.',
    conditional: true,
    responses: { 200: 'This document, not in an envelope.' },
    data: z.looseObject({ openapi: z.string() }).meta({ examples: [{ openapi: '3.1.0' }] }),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
