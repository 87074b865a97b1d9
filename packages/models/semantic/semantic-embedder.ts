import type { Embedder, ModelFamily } from '../embedder.ts';
import { createDualEncoder, tryDualEncoder } from './dual-encoder.ts';
import { createEmbeddingGemma, tryEmbeddingGemma } from './embedding-gemma.ts';
import type { LoadableModel, SemanticReference } from './load-model.ts';

export type { LoadableModel } from './load-model.ts';

/** How the models of a form are run. */
type Form = {
  create: (reference: SemanticReference, threads: number) => Embedder;
  /** Runs all of a model on a minimal input. Throws `ModelError`. @returns the dimensions of its vectors */
  tryOut: (model: LoadableModel) => Promise<number>;
};

const dualEncoder: Form = { create: createDualEncoder, tryOut: tryDualEncoder };

const forms: Record<ModelFamily, Form> = {
  clip: dualEncoder,
  siglip: dualEncoder,
  'embedding-gemma': { create: createEmbeddingGemma, tryOut: tryEmbeddingGemma },
};

/**
 * A model in a folder as an embedder. Its parts are loaded when they are first needed. Throws `ModelError` then, for files that are not what they should be.
 * @param threads that each part may use
 */
export const createSemanticEmbedder = (reference: SemanticReference, threads: number): Embedder =>
  forms[reference.family].create(reference, threads);

/** Loads a model and tests it on a minimal input. Throws `ModelError`. @returns the dimensions of its vectors */
export const tryModel = (model: LoadableModel): Promise<number> => forms[model.family].tryOut(model);
