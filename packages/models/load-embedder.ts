import { existsSync } from 'node:fs';
import path from 'node:path';
import { descriptorsEmbedder } from './descriptors/descriptors-embedder.ts';
import type { Embedder, EmbedderReference } from './embedder.ts';

/**
 * Its identifier changes with its weights, with the way they are combined, and with what of an image is embedded: vectors of different identifiers are
 * never compared.
 */
export const builtinReference: EmbedderReference = {
  kind: 'builtin',
  id: 'builtin@4',
  dimensions: 512 + descriptorsEmbedder.dimensions,
};

export const descriptorsReference: EmbedderReference = {
  kind: 'descriptors',
  id: descriptorsEmbedder.id,
  dimensions: descriptorsEmbedder.dimensions,
};

/** Loads embedders by their references, each once. What a semantic one needs is read when it is first used. */
export function createEmbedderLoader(threads: number): (reference: EmbedderReference) => Promise<Embedder> {
  const loaded = new Map<string, Promise<Embedder>>();
  return (reference) => {
    const known = loaded.get(reference.id);
    if (known) return known;
    const embedder = load(reference, threads);
    loaded.set(reference.id, embedder);
    return embedder;
  };
}

/**
 * An embedder whose files are not where its reference says, because another machine chose it, with the folder of the same name here.
 * @param models the folder that holds the models of this machine
 */
export function locateModel(reference: EmbedderReference, models: string): EmbedderReference {
  if (hasModelFiles(reference) || reference.kind !== 'semantic') return reference;
  return { ...reference, folder: path.join(models, path.basename(reference.folder)) };
}

/** Whether the files of an embedder are where its reference says. */
export const hasModelFiles = (reference: EmbedderReference): boolean =>
  reference.kind !== 'semantic' || existsSync(reference.folder);

async function load(reference: EmbedderReference, threads: number): Promise<Embedder> {
  if (reference.kind === 'descriptors') return descriptorsEmbedder;
  // Weights and ONNX Runtime take time and memory, which only processes that need them should spend.
  if (reference.kind === 'semantic') {
    const { createSemanticEmbedder } = await import('./semantic/semantic-embedder.ts');
    return createSemanticEmbedder(reference, threads);
  }
  const { createBuiltinEmbedder } = await import('./builtin/builtin-embedder.ts');
  return createBuiltinEmbedder(reference, threads);
}
