import { z } from 'zod';
import { type Clip, clip } from './highlights.ts';
import { integerParameter } from './parameters.ts';

export const conceptsQuery = z.object({
  n: integerParameter(1, 50).default(12).describe('Concepts, at most 50.'),
});

const [exampleClip] = (clip.meta()?.examples ?? []) as Clip[];

export const foundConcept = z
  .object({
    name: z.string().describe('A thing, a scene or something that happens, in English.'),
    count: z.int().min(1).describe('Moments that clearly show it.'),
    clip: clip.describe('The moment that shows it best.'),
  })
  .meta({ id: 'FoundConcept', examples: [{ name: 'harbour', count: 48, clip: exampleClip }] });
export type FoundConcept = z.output<typeof foundConcept>;

export const conceptsMeta = z
  .object({
    population: z.int().min(0).describe('Moments that were looked at.'),
    reason: z
      .string()
      .nullable()
      .describe('Why there are none at all, as a sentence; null where the embedder can describe pictures.'),
  })
  .meta({ examples: [{ population: 163, reason: null }] });
