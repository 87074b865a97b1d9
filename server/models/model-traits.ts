import type { Embedder, EmbedderReference, ModelFamily } from './embedder.ts';

type Traits = Pick<Embedder, 'duplicates' | 'photoSide' | 'spread' | 'weakBelow'>;

export const builtinTraits: Traits = {
  duplicates: { copy: 0.94, continuation: 0.85 },
  photoSide: 480,
  spread: 0.06,
  weakBelow: 1,
};

const semantic: Record<ModelFamily, Traits> = {
  clip: { duplicates: { copy: 0.95, continuation: 0.9 }, photoSide: 1024, spread: 0.04, weakBelow: 2 },
  siglip: { duplicates: { copy: 0.95, continuation: 0.9 }, photoSide: 1024, spread: 0.03, weakBelow: 2 },
};

/** What is known of an embedder without running it: what tells copies, and how similarities to texts spread. */
export const traitsOf = (reference: EmbedderReference): Traits =>
  reference.kind === 'builtin' ? builtinTraits : semantic[reference.family];
