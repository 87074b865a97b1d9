import { z } from 'zod';
import { mediaType } from './media.ts';
import { flagParameter, identifier, integerParameter, ownershipFilters } from './parameters.ts';

const spanFields = {
  start: z.number().min(0).describe('Start of the matching span, in seconds; 0 for an image.'),
  end: z.number().min(0).describe('End of the matching span, in seconds; 0 for an image.'),
};

export const searchHit = z
  .object({
    id: identifier.describe('The media item.'),
    filename: z.string(),
    score: z.number().min(0).max(1).describe('Relevance; falls down the list.'),
    ...spanFields,
    url: z.url().describe('The media asset. Signed, expiring; seek to `start` in the player.'),
    thumbnail: z.url().describe('A picture of the span. Signed, expiring.'),
    type: mediaType,
    chunk_id: identifier,
    creator_id: identifier.nullable(),
    category_id: identifier.nullable(),
    signals: z
      .object({
        visual: z.number().optional().describe('Similarity of the picture to the query.'),
        text: z.number().optional().describe('Text relevance (BM25, higher is better).'),
        rerank: z.number().optional().describe("The vision model's verdict, 0..1."),
        outlier: z.number().optional().describe('The raw outlier score of the method.'),
        terms: z.array(z.string()).optional().describe('The query words that matched.'),
      })
      .describe('What each part of the search gave for this hit.'),
    weak: z.boolean().describe("True below the workspace's background similarity."),
    duplicates: z
      .array(z.object({ id: identifier, chunk_id: identifier, ...spanFields }))
      .optional()
      .describe('With `dedupe`: the hits that this one stands for.'),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.output<typeof searchHit>;

const resultCount = integerParameter(1, 100).default(20).describe('How many hits to return, at most 100.');
const dedupe = flagParameter.describe('Drops near-duplicate chunks of the same event.');

export const searchQuery = z.object({
  q: z.string().trim().min(1, 'must not be empty').max(500).describe('What to look for, in words.'),
  n: resultCount,
  dedupe,
  rerank: flagParameter.describe('Turns on precision re-ranking by a vision model.'),
  ...ownershipFilters,
  type: mediaType.optional(),
});

export const searchMeta = z.object({
  query: z.string().nullable().describe('Echoes the search text; null for an image search.'),
  n: z.int(),
  took_ms: z.number().min(0),
  embedder: z.string().describe('Identifier of the model that answered.'),
  reranked: z.boolean(),
  notice: z.string().optional().describe('Says so when something that was asked for was not possible.'),
});
export type SearchMeta = z.output<typeof searchMeta>;

export const imageSearchParameters = z.object({
  n: resultCount,
  dedupe,
  ...ownershipFilters,
  type: mediaType.optional(),
});

/** The JSON form of an image search: exactly one of `image`, `url`, `media_id`. */
export const imageSearchBody = z.object({
  image: z.string().optional().describe('Base64, or a data URL.'),
  url: z.url({ protocol: /^https?$/ }).optional(),
  media_id: identifier.optional(),
  at: z.number().min(0).optional().describe('With `media_id`: the second to look at.'),
  chunk_id: identifier.optional().describe('With `media_id`: the chunk to look at.'),
});

export const imageSearchMeta = searchMeta.extend({
  source: z.enum(['file', 'image', 'url', 'media']).describe('Where the query picture came from.'),
});

const outlierMethod = z.enum(['centroid', 'knn', 'lof']);

export const highlightsQuery = z.object({
  method: outlierMethod.default('knn'),
  n: resultCount,
  dedupe,
  ...ownershipFilters,
  type: mediaType.optional(),
});

export const highlightsMeta = z.object({
  method: outlierMethod,
  population: z.int().min(0).describe('Chunks compared.'),
  neighbors: z.int().min(0),
  computed_at: z.iso.datetime(),
});
