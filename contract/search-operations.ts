import { z } from 'zod';
import { conceptsMeta, conceptsQuery, foundConcept } from './concepts.ts';
import {
  clip,
  clipsQuery,
  highlightsMapMeta,
  highlightsMapQuery,
  highlightsMeta,
  highlightsQuery,
  mapPoint,
} from './highlights.ts';
import type { Operation } from './operation.ts';
import {
  imageSearchBody,
  imageSearchFields,
  imageSearchMeta,
  imageSearchParameters,
  searchHit,
  searchMeta,
  searchQuery,
} from './search.ts';

/** Finding moments: by words, by an image, by how unusual they are. */
export const searchOperations = {
  searchMedia: {
    method: 'GET',
    path: '/media/search',
    tag: 'Search',
    access: 'key',
    summary: 'Hybrid text search.',
    description:
      'Compares the words with images and texts. The header `Server-Timing` gives the milliseconds of each stage: `embed`, `vector`, `text`, ' +
      '`fuse`, `dedupe`, `hydrate` (reading what the hits show), `rerank`.',
    query: searchQuery,
    responses: { 200: 'Hits, the best first.' },
    data: z.array(searchHit),
    meta: searchMeta,
    errors: ['quota_exceeded'],
  },
  searchMediaByImage: {
    method: 'POST',
    path: '/media/search/image',
    tag: 'Search',
    access: 'key',
    summary: 'Image search. The request is multipart or JSON.',
    description:
      'Finds chunks that look like an image: one in the part `file` of a form, or in JSON exactly one of `image`, `url` and ' +
      '`media_id`. The parameters may be in the URL, the form or the JSON. A JSON body may have 1 MiB; an image in a form 32 MiB.',
    query: imageSearchParameters,
    body: imageSearchBody,
    bodyLimit: { bytes: 2 ** 20, members: 1000 },
    form: imageSearchFields,
    responses: { 200: 'Hits, the most alike first.' },
    data: z.array(searchHit),
    meta: imageSearchMeta,
    errors: ['quota_exceeded', 'not_found', 'not_ready', 'unreadable_media'],
  },
  listHighlights: {
    method: 'GET',
    path: '/media/highlights',
    tag: 'Search',
    access: 'key',
    summary: 'Most unusual clips. No query needed.',
    query: highlightsQuery,
    responses: { 200: 'Hits by falling outlier score.' },
    data: z.array(searchHit),
    meta: highlightsMeta,
    errors: ['quota_exceeded'],
  },
  mapHighlights: {
    method: 'GET',
    path: '/media/highlights/map',
    tag: 'Search',
    access: 'key',
    summary: 'All clips laid out by likeness, with how unusual each is.',
    description:
      'Alike clips lie together. At most the newest 20,000 chunks are laid out. `GET /media/clips` says what a point shows, ' +
      '`GET /media/clips/sheet` gives many small pictures at once.',
    query: highlightsMapQuery,
    responses: { 200: 'A point for each chunk, the most unusual first.' },
    data: z.array(mapPoint),
    meta: highlightsMapMeta,
    errors: ['quota_exceeded'],
  },
  listConcepts: {
    method: 'GET',
    path: '/media/concepts',
    tag: 'Search',
    access: 'key',
    summary: 'What is often found in the library.',
    description:
      'Everyday things, scenes and activities that moments of the library clearly show, the most distinctive first. Empty, with a reason, where the ' +
      'embedder cannot describe pictures in words.',
    query: conceptsQuery,
    responses: { 200: 'Concepts, the most distinctive first.' },
    data: z.array(foundConcept),
    meta: conceptsMeta,
    errors: [],
  },
  readClipSheet: {
    method: 'GET',
    path: '/media/clips/sheet',
    tag: 'Search',
    access: 'key',
    summary: 'Small pictures of many chunks in one image.',
    description:
      'Squares of 64 × 64 pixels, ten to a row, in the order of the identifiers. The square of a chunk without a picture is transparent.',
    query: clipsQuery,
    responses: { 200: 'A WebP image, which never changes.' },
    file: ['image/webp'],
    data: z.string().meta({ format: 'binary', examples: ['(the bytes of a WebP image)'] }),
    errors: [],
  },
  listClips: {
    method: 'GET',
    path: '/media/clips',
    tag: 'Search',
    access: 'key',
    summary: 'Chunks by their identifiers, with what plays them.',
    query: clipsQuery,
    responses: { 200: 'The chunks that exist, in the order asked for.' },
    data: z.array(clip),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
