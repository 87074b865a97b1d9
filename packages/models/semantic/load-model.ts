import path from 'node:path';
import { env, RawImage, type Tensor } from '@huggingface/transformers';
import type { RgbImage } from '@media-search/media/rgb-image';
import { toUnit } from '@media-search/search-engine/vectors';
import type { EmbedderReference } from '../embedder.ts';
import { ModelError } from '../model-error.ts';

/** What models of all forms need of transformers.js. */

export type SemanticReference = Extract<EmbedderReference, { kind: 'semantic' }>;
export type LoadableModel = Omit<SemanticReference, 'kind' | 'id' | 'dimensions'>;

env.allowRemoteModels = false;
env.useFSCache = false;

export const loadingOptions = ({ precision }: LoadableModel, threads: number) => ({
  dtype: precision,
  local_files_only: true,
  // The arena would never release what one large batch needed.
  session_options: { intraOpNumThreads: threads, enableCpuMemArena: false, logSeverityLevel: 3 as const },
});

export const toRawImage = ({ width, height, data }: RgbImage): RawImage =>
  new RawImage(new Uint8ClampedArray(data), width, height, 3);

/**
 * The unit vectors in an output of a model, which is released with the others. Throws `ModelError` where it is none.
 * @param embeddings of the shape [inputs, dimensions]
 * @param name of the output, for the error
 * @param dimensions so many leading numbers of each; all of them by default
 */
export function takeVectors(
  outputs: Record<string, Tensor | undefined>,
  embeddings: Tensor | undefined,
  { folder, name, dimensions = Infinity }: { folder: string; name: string; dimensions?: number },
): Float32Array[] {
  const [count, width] = embeddings?.dims ?? [];
  if (!embeddings || count === undefined || width === undefined || embeddings.dims.length !== 2) {
    throw new ModelError(`The model in ${folder} gives no ${name} of the shape [images or texts, dimensions].`);
  }
  const values = embeddings.data as Float32Array;
  const vectors = Array.from({ length: count }, (_, i) =>
    toUnit(values.slice(i * width, i * width + Math.min(width, dimensions))),
  );
  for (const tensor of Object.values(outputs)) tensor?.dispose();
  return vectors;
}

/** The folder that models are loaded from is a global setting of the library, so models are loaded one after the other. */
let lastLoad: Promise<unknown> = Promise.resolve();

/** Loads parts of a model by the name of its folder. Throws `ModelError`. */
export async function loadSerially<Parts>(
  { folder }: LoadableModel,
  read: (name: string) => Promise<Parts>,
): Promise<Parts> {
  const turn = lastLoad
    .catch(() => undefined)
    .then(() => {
      env.localModelPath = path.dirname(folder) + path.sep;
      return read(path.basename(folder));
    });
  lastLoad = turn;
  try {
    return await turn;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModelError(`The model in ${folder} cannot be loaded: ${reason}`, { cause: error });
  }
}
