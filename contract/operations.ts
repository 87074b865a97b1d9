import { z } from 'zod';
import { captionOperations } from './captions.ts';
import { categoryNames } from './categories.ts';
import { commentOperations } from './comments.ts';
import { copyOperations } from './copies.ts';
import { creatorBody, creatorNames, listLabelsQuery } from './creators.ts';
import { eventOperations } from './events.ts';
import { exportOperations } from './exports.ts';
import { frameOperations } from './frames.ts';
import { itemGroupOperations } from './item-group-operations.ts';
import { mediaChangeOperations } from './media-changes.ts';
import { mediaOperations } from './media-operations.ts';
import { createNamed, getNamed, listNamed } from './named-operations.ts';
import type { Operation } from './operation.ts';
import { placeOperations } from './places.ts';
import { savedSearchOperations } from './saved-searches.ts';
import { searchOperations } from './search-operations.ts';
import { shareOperations } from './shares.ts';
import { sourceOperations } from './sources.ts';
import { trashOperations } from './trash.ts';
import { uploadOperations } from './uploads.ts';
import { workspace } from './workspace.ts';

const creators = { ...creatorNames, path: '/creators', access: 'key' } as const;
const categories = { ...categoryNames, path: '/categories', access: 'key' } as const;

/** The API: every operation below `/api/v1`. */
export const operations = {
  ...copyOperations,
  ...mediaOperations,
  ...placeOperations,
  ...mediaChangeOperations,
  ...commentOperations,
  ...uploadOperations,
  ...trashOperations,
  ...shareOperations,
  ...searchOperations,
  listCreators: listNamed(creators, listLabelsQuery),
  createCreator: createNamed(creators, creatorBody),
  getCreator: getNamed(creators),
  listCategories: listNamed(categories, listLabelsQuery),
  getCategory: getNamed(categories),
  ...itemGroupOperations,
  ...savedSearchOperations,
  ...captionOperations,
  ...frameOperations,
  ...exportOperations,
  ...eventOperations,
  ...sourceOperations,
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
