import { z } from 'zod';
import { category, listCategoriesQuery } from './categories.ts';
import { createCreatorBody, creator, listCreatorsQuery } from './creators.ts';
import type { OperationId } from './endpoints.ts';
import type { ErrorCode } from './errors.ts';
import { deletedMedia, listMediaQuery, mediaItem, uploadFields } from './media.ts';
import { identifier, pageMeta } from './parameters.ts';
import {
  highlightsMeta,
  highlightsQuery,
  imageSearchBody,
  imageSearchMeta,
  imageSearchParameters,
  searchHit,
  searchMeta,
  searchQuery,
} from './search.ts';
import { workspace } from './workspace.ts';

type Operation = {
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON body, or with `file` a multipart form whose text fields these are. */
  body?: z.ZodObject;
  /** Whether the multipart form carries a part `file` and whether that is the only form the body takes. */
  file?: 'required' | 'alternative';
  /** Success statuses with what each means. */
  responses: Record<number, string>;
  /** The usual one of them, when it is not 200. */
  status?: number;
  data: z.ZodType;
  meta?: z.ZodObject;
  /** Error codes beyond those any authenticated request can meet. */
  errors: ErrorCode[];
  /** Described here, not served yet. */
  planned?: true;
};

const byId = z.object({ id: identifier });

/** What goes into and comes out of each endpoint. Requests are checked against it and the OpenAPI document is built from it. */
export const operations = {
  listMedia: {
    summary: 'List media. Paginated and filterable.',
    query: listMediaQuery,
    responses: { 200: 'The media items of this page.' },
    data: z.array(mediaItem),
    meta: pageMeta,
    errors: ['validation_error'],
  },
  getMedia: {
    summary: 'Get one media item.',
    params: byId,
    responses: { 200: 'The media item.' },
    data: mediaItem,
    errors: ['validation_error', 'not_found'],
  },
  uploadMedia: {
    summary: 'Upload and index a media file.',
    body: uploadFields,
    file: 'required',
    responses: {
      202: 'Stored durably and waiting to be indexed. `Location` names the new item.',
      200: 'The same bytes are in this workspace already: the existing item, with `meta.duplicate`.',
    },
    status: 202,
    data: mediaItem,
    meta: z.object({ duplicate: z.literal(true).optional() }),
    errors: ['validation_error', 'malformed_body', 'payload_too_large', 'quota_exceeded', 'unsupported_media_type'],
  },
  searchMedia: {
    summary: 'Hybrid text search.',
    query: searchQuery,
    responses: { 200: 'Hits, the best first.' },
    data: z.array(searchHit),
    meta: searchMeta,
    errors: ['validation_error'],
  },
  searchMediaByImage: {
    summary: 'Image search. The request is multipart or JSON.',
    query: imageSearchParameters,
    body: imageSearchBody,
    file: 'alternative',
    responses: { 200: 'Hits, the most alike first.' },
    data: z.array(searchHit),
    meta: imageSearchMeta,
    errors: ['validation_error', 'malformed_body', 'payload_too_large', 'unsupported_media_type', 'unreadable_media'],
    planned: true,
  },
  listHighlights: {
    summary: 'Most unusual clips. No query needed.',
    query: highlightsQuery,
    responses: { 200: 'Hits by falling outlier score.' },
    data: z.array(searchHit),
    meta: highlightsMeta,
    errors: ['validation_error'],
    planned: true,
  },
  deleteMedia: {
    summary: 'Delete a media item and its chunks.',
    params: byId,
    responses: { 200: 'Gone, from every search too.' },
    data: deletedMedia,
    errors: ['validation_error', 'not_found'],
  },
  listCreators: {
    summary: 'List creators.',
    query: listCreatorsQuery,
    responses: { 200: 'The creators of this page.' },
    data: z.array(creator),
    meta: pageMeta,
    errors: ['validation_error'],
    planned: true,
  },
  createCreator: {
    summary: 'Create a creator.',
    body: createCreatorBody,
    responses: { 201: 'The new creator.' },
    status: 201,
    data: creator,
    errors: ['validation_error', 'malformed_body', 'already_exists'],
    planned: true,
  },
  getCreator: {
    summary: 'Get one creator.',
    params: byId,
    responses: { 200: 'The creator.' },
    data: creator,
    errors: ['validation_error', 'not_found'],
    planned: true,
  },
  listCategories: {
    summary: 'List categories.',
    query: listCategoriesQuery,
    responses: { 200: 'The categories of this page.' },
    data: z.array(category),
    meta: pageMeta,
    errors: ['validation_error'],
    planned: true,
  },
  getCategory: {
    summary: 'Get one category.',
    params: byId,
    responses: { 200: 'The category.' },
    data: category,
    errors: ['validation_error', 'not_found'],
    planned: true,
  },
  getWorkspace: {
    summary: 'Workspace info, plan and usage.',
    responses: { 200: 'The workspace of the API key.' },
    data: workspace,
    errors: [],
  },
  getOpenApi: {
    summary: 'OpenAPI 3.1 description of the API. No authentication.',
    responses: { 200: 'This document, not in an envelope.' },
    data: z.looseObject({ openapi: z.string() }),
    errors: [],
  },
} as const satisfies Record<OperationId, Operation>;

export type Operations = typeof operations;
/** An operation seen without its own literal types, for code that treats all alike. */
export type AnyOperation = Operation;
