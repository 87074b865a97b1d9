import type { operations } from './operations.ts';

/**
 * What the specification of the service names: its fourteen endpoints with their parameters, and fields of what they answer. Whatever the
 * OpenAPI document has beyond is marked `x-addition`. Where the specification shows no fields at all (items, creators, categories, the
 * workspace, bodies of requests), there is nothing to go beyond, and nothing is marked.
 */
const pages = ['page', 'per_page'] as const;
const labels = ['creator_id', 'category_id'] as const;

/** The parameters of each endpoint in the URL's query. */
export const specifiedParameters: Partial<Record<keyof typeof operations, readonly string[]>> = {
  listMedia: [...pages, ...labels, 'status', 'type'],
  getMedia: [],
  uploadMedia: [],
  searchMedia: ['q', 'n', 'dedupe', 'rerank', ...labels],
  searchMediaByImage: ['dedupe', ...labels],
  listHighlights: ['method', ...labels],
  deleteMedia: [],
  listCreators: [...pages, ...labels],
  createCreator: [],
  getCreator: [],
  listCategories: [...pages, ...labels],
  getCategory: [],
  getWorkspace: [],
  getOpenApi: [],
};

/** The fields of a search hit. */
export const specifiedHit = ['id', 'filename', 'score', 'start', 'end', 'url', 'thumbnail', 'type'];

/** The fields of `meta` that a text search answers with. */
export const specifiedSearchMeta = ['query'];

/** The fields of `error`. */
export const specifiedError = ['code', 'message'];
