import { fileURLToPath } from 'node:url';
import type { Moment } from '@media-search/media/rgb-image';
import { meanDirection } from '@media-search/search-engine/vectors';
import { descriptorsEmbedder } from '../descriptors/descriptors-embedder.ts';
import { parseQuery } from '../descriptors/parse-query.ts';
import type { EmbeddedChunk, Embedder, EmbedderReference } from '../embedder.ts';
import { builtinTraits } from '../model-traits.ts';
import { once } from '../once.ts';
import { combination, combineImage, combineText } from './combine.ts';
import { loadImageTower } from './image-tower.ts';
import { loadTextTower } from './text-tower.ts';

/** The folder of the weights that come with the service. */
const weightsFolder = fileURLToPath(new URL('./weights', import.meta.url));

/**
 * The embedder that comes with the service: a small semantic dual encoder and the descriptors side by side in one vector, so that
 * "a red car on snow" is searched for by what it means and by how it looks. Weights are read when they are first needed, those of the
 * image tower only where images are embedded.
 * @param threads that the image tower may use
 */
export function createBuiltinEmbedder({ id, dimensions }: EmbedderReference, threads: number): Embedder {
  const textTower = once(() => loadTextTower(weightsFolder));
  const imageTower = once(() => loadImageTower(weightsFolder, threads));
  const sizes = { semantic: dimensions - descriptorsEmbedder.dimensions, descriptors: descriptorsEmbedder.dimensions };

  async function embedChunk(moments: Moment[]): Promise<EmbeddedChunk> {
    const embedImage = await imageTower();
    const semantic: Float32Array[] = [];
    for (const { image } of moments) semantic.push(await embedImage(image));
    const [described] = (await descriptorsEmbedder.embedChunks([moments])) as [EmbeddedChunk];
    return {
      vector: combineImage(meanDirection(semantic), described.vector, combination),
      moments: semantic.map((vector, i) => combineImage(vector, described.moments[i] as Float32Array, combination)),
    };
  }
  return {
    id,
    kind: 'builtin',
    dimensions,
    ...builtinTraits,
    async embedChunks(chunks) {
      const embedded: EmbeddedChunk[] = [];
      for (const moments of chunks) embedded.push(await embedChunk(moments));
      return embedded;
    },
    async embedText(query) {
      const embedText = await textTower();
      const { vector: semantic, readable, unknown } = await embedText(query);
      const { vector: descriptors, knownShare } = parseQuery(readable);
      return { vector: combineText(semantic, descriptors, knownShare, sizes, combination), unknown };
    },
  };
}

/** Loads both towers and runs them. Throws `ModelError` when one cannot be used. */
export async function tryBuiltinEmbedder(reference: EmbedderReference): Promise<void> {
  const embedder = createBuiltinEmbedder(reference, 1);
  await embedder.embedText('a picture');
  const grey = { width: 64, height: 64, data: new Uint8Array(64 * 64 * 3).fill(128) };
  await embedder.embedChunks([[{ image: grey, next: null }]]);
}
