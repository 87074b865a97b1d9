import path from 'node:path';
import type { Moment, RgbImage } from '@media-search/media/rgb-image';
import { meanDirection, toUnit } from '@media-search/search-engine/vectors';
import type { Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import { descriptorsEmbedder } from '../descriptors/descriptors-embedder.ts';
import { parseQuery } from '../descriptors/parse-query.ts';
import type { EmbeddedChunk, Embedder, EmbedderReference } from '../embedder.ts';
import { builtinTraits } from '../model-traits.ts';
import { once } from '../once.ts';
import { openSession } from './open-session.ts';
import { builtinTextTower, weightsFolder } from './text-tower.ts';
import { findThings } from './things/find-things.ts';
import { encodeFrames, type FrameThings } from './things/frame-things.ts';

/** How the two parts of a vector are weighed. */
export type Combination = {
  /** Share of the descriptors in the similarity of two images, 0..1. */
  descriptorShare: number;
  /** Share of the descriptors in the evidence for a query whose words their dictionary knows all, 0..1. */
  dictionaryShare: number;
  /** Typical standard deviations of the similarity to a text over mixed images, by the semantic part and by the descriptors alone. */
  spreads: { semantic: number; descriptors: number };
};

/**
 * The share and the spreads were measured by `lab/bench/combination.ts`: with 0.9, one half of the queries for colours, light, layout and motion
 * finds more than the descriptors alone, and things, names and captions no less than the semantic part alone; so does the other half. The
 * share between two images was not varied; copies and other clips are far apart with it (`lab/bench/duplicates.ts`).
 */
export const combination: Combination = {
  descriptorShare: 0.2,
  dictionaryShare: 0.9,
  spreads: { semantic: 0.078, descriptors: 0.12 },
};

/** The vector of an image, of unit length. Both parts are of unit length. */
export function combineImage(
  semantic: Float32Array,
  descriptors: Float32Array,
  { descriptorShare }: Combination,
): Float32Array {
  return join(semantic, Math.sqrt(1 - descriptorShare), descriptors, Math.sqrt(descriptorShare));
}

/**
 * The vector of a text, of unit length: standard deviations of both parts add up by their shares of the evidence.
 * @param semantic of unit length; null where no word can be read
 * @param descriptors of unit length; null where the dictionary knows no word
 * @param knownShare share of the words that the dictionary knows, 0..1
 * @returns null when there is neither
 */
export function combineText(
  semantic: Float32Array | null,
  descriptors: Float32Array | null,
  knownShare: number,
  dimensions: { semantic: number; descriptors: number },
  { descriptorShare, dictionaryShare, spreads }: Combination,
): Float32Array | null {
  if (!semantic && !descriptors) return null;
  const share = semantic ? (descriptors ? dictionaryShare * knownShare : 0) : 1;
  return join(
    semantic ?? new Float32Array(dimensions.semantic),
    (1 - share) / (spreads.semantic * Math.sqrt(1 - descriptorShare)),
    descriptors ?? new Float32Array(dimensions.descriptors),
    share / (spreads.descriptors * Math.sqrt(descriptorShare)),
  );
}

function join(a: Float32Array, factorOfA: number, b: Float32Array, factorOfB: number): Float32Array {
  const joined = new Float32Array(a.length + b.length);
  for (let i = 0; i < a.length; i++) joined[i] = factorOfA * a[i]!;
  for (let i = 0; i < b.length; i++) joined[a.length + i] = factorOfB * b[i]!;
  return toUnit(joined);
}

type EmbeddedImage = { vector: Float32Array; things: FrameThings };

/** Sides of the squares that an image is scaled to, one for each of the two networks in the graph. */
const inputSides = { small: 224, large: 320 };

/**
 * Loads the image tower of a folder (`vision.onnx`). Scaling to squares distorts images as it did in training; everything else happens
 * inside the graph.
 * @param threads that it may use
 * @returns a function from an image to a vector of unit length, and to what is recognised
 */
async function loadImageTower(folder: string, threads: number): Promise<(image: RgbImage) => Promise<EmbeddedImage>> {
  const file = path.join(folder, 'vision.onnx');
  const { run, Tensor } = await openSession(file, threads, ['embedding', 'detections', 'probabilities']);
  return async (image) => {
    const inputs: Record<string, Tensor> = {};
    for (const [name, side] of Object.entries(inputSides)) {
      inputs[name] = new Tensor('uint8', await scaleToSquare(image, side), [1, side, side, 3]);
    }
    const { embedding, detections, probabilities } = await run(inputs);
    return { vector: embedding, things: findThings(detections, probabilities, image) };
  };
}

const scaleToSquare = ({ width, height, data }: RgbImage, side: number): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .resize(side, side, { fit: 'fill' })
    .raw()
    .toBuffer();

/**
 * The embedder that comes with the service: a small semantic dual encoder and the descriptors side by side in one vector, so that
 * "a red car on snow" is searched for by what it means and by how it looks. Weights are read when they are first needed, those of the
 * image tower only where images are embedded.
 * @param threads that the image tower may use
 */
export function createBuiltinEmbedder({ id, dimensions }: EmbedderReference, threads: number): Embedder {
  const imageTower = once(() => loadImageTower(weightsFolder, threads));
  const sizes = { semantic: dimensions - descriptorsEmbedder.dimensions, descriptors: descriptorsEmbedder.dimensions };

  async function embedChunk(moments: Moment[]): Promise<EmbeddedChunk> {
    const embedImage = await imageTower();
    const images: EmbeddedImage[] = [];
    for (const { image } of moments) images.push(await embedImage(image));
    const semantic = images.map(({ vector }) => vector);
    const [described] = (await descriptorsEmbedder.embedChunks([moments])) as [EmbeddedChunk];
    return {
      vector: combineImage(meanDirection(semantic), described.vector, combination),
      moments: semantic.map((vector, i) => combineImage(vector, described.moments[i] as Float32Array, combination)),
      things: encodeFrames(images.map(({ things }) => things)),
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
      const { embedQuery } = await builtinTextTower();
      const { vector: semantic, sentence, readable, unknown } = await embedQuery(query);
      const { vector: descriptors, knownShare } = parseQuery(readable);
      return { vector: combineText(semantic, descriptors, knownShare, sizes, combination), sentence, unknown };
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
