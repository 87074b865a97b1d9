import type { Moment } from '@media-search/media/rgb-image';
import { mean, toUnit } from '@media-search/search-engine/vectors';
import type { EmbeddedChunk, Embedder } from '../embedder.ts';
import { descriptorsTraits } from '../model-traits.ts';
import { describeImage, readLuma } from './describe-image.ts';
import { describeMotion, type Motion } from './describe-motion.ts';
import { featureStatistics } from './feature-statistics.ts';
import { colourFeatureCount, featureNames, featureIndex, motionFeatureIndexes } from './features.ts';
import { parseQuery } from './parse-query.ts';

/** A feature counts at most this many standard deviations, so that an extreme one does not dominate the others. */
const maxDeviations = 3;

/**
 * Describes images without a trained model, by classical descriptors: named colours and where they are, light, edges, texture,
 * motion. Each is measured in standard deviations from ordinary photographs. The unit vector of all is the embedding: two images compare by
 * all descriptors, a text query by those that its words name. Objects are not recognised: "dog" has no meaning.
 */
export const descriptorsEmbedder: Embedder = {
  id: 'descriptors@2',
  kind: 'descriptors',
  dimensions: featureNames.length,
  ...descriptorsTraits,
  embedChunks: (chunks) => Promise.resolve(chunks.map(embedChunk)),
  embedText(query) {
    const { vector, unknown } = parseQuery(query);
    return Promise.resolve({ vector, unknown });
  },
};

/** The raw features of a moment. */
type DescribedMoment = { features: Float32Array; motion: Motion | null };

function embedChunk(moments: Moment[]): EmbeddedChunk {
  const seen = moments.map(describeMoment);
  return { vector: toVector(pool(seen)), moments: seen.map((moment) => toVector(pool([moment]))) };
}

function describeMoment({ image, next }: Moment): DescribedMoment {
  const { features, luma } = describeImage(image);
  return { features, motion: next && describeMotion(luma, readLuma(next.image), next.after) };
}

/** Raw features of several moments together; motion features are NaN when nothing follows any of them. */
function pool(described: DescribedMoment[]): Float32Array {
  const pooled = new Float32Array(featureNames.length);
  for (let place = 0; place < pooled.length; place++) {
    const values = described.map(({ features }) => features[place] as number);
    const average = mean(values);
    // For colours the maximum counts as well, so that a passing red car is not averaged away.
    pooled[place] = place < colourFeatureCount ? (average + Math.max(...values)) / 2 : average;
  }
  for (const place of motionFeatureIndexes) pooled[place] = Number.NaN;
  const motions = described.flatMap(({ motion }) => motion ?? []);
  if (motions.length === 0) return pooled;
  const meanOf = (key: keyof Motion) => mean(motions.map((motion) => motion[key]));
  const set = (name: string, value: number) => {
    pooled[featureIndex(name)] = Math.log1p(20 * Math.max(0, value));
  };
  set('motion', meanOf('speed'));
  set('change', meanOf('change'));
  set('right', meanOf('x'));
  set('left', -meanOf('x'));
  set('down', meanOf('y'));
  set('up', -meanOf('y'));
  return pooled;
}

/** Standard scores, bounded, at unit length. */
function toVector(features: Float32Array): Float32Array {
  const scores = features.map((value, place) => {
    const { mean, deviation } = featureStatistics[place] as { mean: number; deviation: number };
    if (Number.isNaN(value)) return 0;
    // The hyperbolic tangent bends softly towards the limit.
    return maxDeviations * Math.tanh((value - mean) / deviation / maxDeviations);
  });
  return toUnit(scores);
}
