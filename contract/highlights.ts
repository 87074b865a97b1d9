import { z } from 'zod';
import { filterParameters } from './filters.ts';
import { flagParameter, identifier, identifierList, integerParameter, timestamp } from './parameters.ts';
import { dedupe, exampleHit, resultCount, searchHit } from './search.ts';

const { score: _score, signals: _signals, weak: _weak, ...exampleClip } = exampleHit;

const outlierMethod = z.enum(['centroid', 'knn', 'lof']);
export type OutlierMethod = z.output<typeof outlierMethod>;

export const highlightsQuery = z.object({
  method: outlierMethod
    .default('knn')
    .describe(
      'How unusual a chunk is: by its distance from the mean of all (`centroid`), from its nearest neighbours (`knn`), or by ' +
        'how much sparser it lies than they do (`lof`).',
    ),
  n: resultCount,
  per_item: integerParameter(1, 100).default(2).describe('Hits of one item, at most.'),
  dedupe: dedupe.describe(
    'Drops near-duplicates. Without it copies are shown only where they take no other clip’s place.',
  ),
  ...filterParameters,
});

/** A chunk as the search shows it, without what only a search can say of it. */
export const clip = searchHit
  .omit({ score: true, signals: true, weak: true, duplicates: true })
  .meta({ id: 'Clip', examples: [exampleClip] });
export type Clip = z.output<typeof clip>;

export const clipsQuery = z.object({
  ids: identifierList.meta({
    description: 'Identifiers of chunks, at most 100, with commas in between.',
    examples: [exampleHit.chunk_id],
  }),
});

const mapLayout = z.enum(['pca', 'umap']);
export type MapLayout = z.output<typeof mapLayout>;

export const highlightsMapQuery = z.object({
  method: highlightsQuery.shape.method,
  layout: mapLayout
    .default('pca')
    .describe(
      'How the plane is found: the first two principal components (`pca`), or UMAP (`umap`), which shows groups better and ' +
        'takes longer.',
    ),
  partial: flagParameter.describe(
    'Answers with what there is at once, such as a first layout, while the rest is computed; `complete` says so.',
  ),
  ...filterParameters,
});

export const mapPoint = z
  .object({
    id: identifier.describe('The media item.'),
    chunk_id: identifier,
    x: z.number().min(0).max(1),
    y: z.number().min(0).max(1),
    score: z
      .number()
      .min(0)
      .max(1)
      .describe('How unusual, as among the highlights: the share of clips that are less so.'),
  })
  .meta({
    id: 'MapPoint',
    examples: [{ id: exampleHit.id, chunk_id: exampleHit.chunk_id, x: 0.21, y: 0.84, score: 0.42 }],
  });
export type MapPoint = z.output<typeof mapPoint>;

const mapLabel = z
  .object({
    text: z.string().describe('One concept or two, with a comma in between.'),
    x: z.number().min(0).max(1),
    y: z.number().min(0).max(1),
    level: z.int().min(0).max(2).describe('0: a large group; 2: a small one within.'),
    count: z.int().min(1).describe('Points of the group.'),
  })
  .meta({ id: 'MapLabel' });
export type MapLabel = z.output<typeof mapLabel>;

export const highlightsMeta = z
  .object({
    method: outlierMethod,
    population: z.int().min(0).describe('Chunks compared.'),
    neighbors: z.int().min(0).describe('Neighbours that each chunk was compared with; 0 for `centroid`.'),
    computed_at: timestamp,
    notice: z.string().optional().describe('What could not be compared.'),
  })
  .meta({ examples: [{ method: 'knn', population: 163, neighbors: 5, computed_at: '2026-11-21T09:31:00.000Z' }] });

export const highlightsMapMeta = highlightsMeta
  .extend({
    layout: mapLayout.describe('The layout that was used.'),
    complete: z.boolean().describe('Whether nothing is still being computed, such as the layout that was asked for.'),
    labels: z.array(mapLabel).describe('What groups of the map show, from the coarsest to the finest.'),
  })
  .meta({
    examples: [
      {
        method: 'knn',
        population: 163,
        neighbors: 5,
        computed_at: '2026-11-21T09:31:00.000Z',
        layout: 'pca',
        complete: true,
        labels: [{ text: 'harbour, ship', x: 0.3, y: 0.7, level: 0, count: 48 }],
      },
    ],
  });
