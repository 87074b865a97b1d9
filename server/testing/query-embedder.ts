import { descriptorsReference } from '@media-search/models/load-embedder';
import type { QueryEmbedder } from '../search/embedding/text-embedders.ts';

/** An embedder whose vectors are in the database already, with the traits of a model like CLIP. */
export const queryEmbedderOf = (
  id: string,
  dimensions: number,
  embedText: QueryEmbedder['embedText'] = () => Promise.resolve({ vector: null, unknown: [] }),
): QueryEmbedder => ({
  id,
  kind: 'semantic',
  dimensions,
  duplicateThresholds: { copy: 0.95, continuation: 0.9 },
  spread: 0.04,
  mean: null,
  weakBelow: 2,
  chanceMargins: null,
  hasMeasuredThresholds: false,
  vocabulary: null,
  contentDimensions: null,
  needsTextProcess: false,
  recognisesThings: false,
  hears: false,
  composes: false,
  shorterDimensions: [],
  samplesChance: false,
  maxPhotoSide: 1024,
  cropCount: 5,
  reference: descriptorsReference,
  embedText,
  embedSentence: () => Promise.resolve(null),
});
