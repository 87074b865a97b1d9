import type { Embedder, EmbedderReference, ModelFamily } from './embedder.ts';

type EmbedderTraits = Pick<Embedder, 'duplicateThresholds' | 'maxPhotoSide' | 'spread' | 'weakBelow'>;

export const builtinTraits: EmbedderTraits = {
  duplicateThresholds: { copy: 0.94, continuation: 0.85 },
  maxPhotoSide: 480,
  spread: 0.06,
  weakBelow: 1,
};

const semanticTraits: Record<ModelFamily, EmbedderTraits> = {
  clip: { duplicateThresholds: { copy: 0.95, continuation: 0.9 }, maxPhotoSide: 1024, spread: 0.04, weakBelow: 2 },
  siglip: { duplicateThresholds: { copy: 0.95, continuation: 0.9 }, maxPhotoSide: 1024, spread: 0.03, weakBelow: 2 },
};

/** What is known of an embedder without running it: what tells copies, and how similarities to texts spread. */
export const traitsOf = (reference: EmbedderReference): EmbedderTraits =>
  reference.kind === 'builtin' ? builtinTraits : semanticTraits[reference.family];
