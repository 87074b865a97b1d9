import path from 'node:path';
import {
  AutoProcessor,
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  env,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  RawImage,
  SiglipTextModel,
  SiglipVisionModel,
  type Tensor,
} from '@huggingface/transformers';
import type { RgbImage } from '@media-search/media/rgb-image';
import { meanDirection, toUnit } from '@media-search/search-engine/vectors';
import type { Embedder, EmbedderReference } from '../embedder.ts';
import { ModelError } from '../model-error.ts';
import { traitsOf } from '../model-traits.ts';
import { once } from '../once.ts';

type SemanticReference = Extract<EmbedderReference, { kind: 'semantic' }>;
export type LoadableModel = Omit<SemanticReference, 'kind' | 'id' | 'dimensions'>;

/** Images that go through the image tower together. More only take more memory. */
const batchSize = 8;
/** SigLIP was trained on texts padded to this many tokens, and reads others wrongly. */
const siglipTokens = 64;

env.allowRemoteModels = false;
env.useFSCache = false;

/**
 * A dual encoder of the CLIP (Radford et al., 2021) or SigLIP (Zhai et al., 2023) form in ONNX Runtime on the processor. The
 * towers are loaded when they are first needed: a query needs that for texts only. Throws `ModelError` then, for files that are
 * not what they should be.
 * @param threads that each tower may use
 */
export function createSemanticEmbedder(reference: SemanticReference, threads: number): Embedder {
  const { id, dimensions } = reference;
  const textTower = once(() => loadTextTower(reference, threads));
  const imageTower = once(() => loadImageTower(reference, threads));
  return {
    id,
    kind: 'semantic',
    dimensions,
    ...traitsOf(reference),
    async embedChunks(chunks) {
      const embedImages = await imageTower();
      const vectors = await embedImages(chunks.flatMap((moments) => moments.map(({ image }) => image)));
      let next = 0;
      return chunks.map(({ length }) => {
        const moments = vectors.slice(next, (next += length));
        return { vector: meanDirection(moments), moments };
      });
    },
    async embedText(query) {
      const embedText = await textTower();
      return { vector: await embedText(query), unknown: [] };
    },
  };
}

/** Loads both towers and tests them on a minimal input. Throws `ModelError`. @returns the dimensions of its vectors */
export async function tryModel(model: LoadableModel): Promise<number> {
  const text = await (await loadTextTower(model, 1))('a picture');
  const grey: RgbImage = { width: 64, height: 64, data: new Uint8Array(64 * 64 * 3).fill(128) };
  const [image] = await (await loadImageTower(model, 1))([grey]);
  if (image?.length !== text.length) {
    throw new ModelError(
      `The towers of the model in ${model.folder} do not fit together: texts have ${text.length} dimensions, images ${image?.length}.`,
    );
  }
  return text.length;
}

async function loadTextTower(model: LoadableModel, threads: number): Promise<(text: string) => Promise<Float32Array>> {
  const Tower = model.family === 'clip' ? CLIPTextModelWithProjection : SiglipTextModel;
  const [tokenizer, tower] = await loadSerially(model, async (name) => [
    await AutoTokenizer.from_pretrained(name, { local_files_only: true }),
    await Tower.from_pretrained(name, loadingOptions(model, threads)),
  ]);
  const padding = model.family === 'clip' ? true : 'max_length';
  const limits = model.family === 'clip' ? {} : { max_length: siglipTokens };
  return async (text) => {
    const inputs = tokenizer(normalizeText(text, tokenizer), { padding, truncation: true, ...limits }) as object;
    const [vector] = await runTower(tower, inputs, 'text_embeds', model);
    return vector as Float32Array;
  };
}

async function loadImageTower(
  model: LoadableModel,
  threads: number,
): Promise<(images: RgbImage[]) => Promise<Float32Array[]>> {
  const Tower = model.family === 'clip' ? CLIPVisionModelWithProjection : SiglipVisionModel;
  const [processor, tower] = await loadSerially(model, async (name) => [
    await AutoProcessor.from_pretrained(name, { local_files_only: true }),
    await Tower.from_pretrained(name, loadingOptions(model, threads)),
  ]);
  return async (images) => {
    const vectors: Float32Array[] = [];
    for (let i = 0; i < images.length; i += batchSize) {
      const rawImages = images
        .slice(i, i + batchSize)
        .map(({ width, height, data }) => new RawImage(new Uint8ClampedArray(data), width, height, 3));
      vectors.push(...(await runTower(tower, (await processor(rawImages)) as object, 'image_embeds', model)));
    }
    return vectors;
  };
}

const loadingOptions = ({ precision }: LoadableModel, threads: number) => ({
  dtype: precision,
  local_files_only: true,
  // The arena would never release what one large batch needed.
  session_options: { intraOpNumThreads: threads, enableCpuMemArena: false, logSeverityLevel: 3 as const },
});

/** As the model's authors trained it: SigLIP knows lower case only, its first version no punctuation either. */
function normalizeText(text: string, tokenizer: PreTrainedTokenizer): string {
  const kind = tokenizer.constructor.name;
  if (kind === 'SiglipTokenizer') return text.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}\s]/gu, '');
  return kind === 'CLIPTokenizer' ? text : text.toLowerCase();
}

/** Runs a tower. The vectors are cut to unit length. */
async function runTower(
  tower: PreTrainedModel,
  inputs: object,
  output: string,
  { folder }: LoadableModel,
): Promise<Float32Array[]> {
  const outputs = (await tower(inputs)) as Record<string, Tensor | undefined>;
  // Models of the SigLIP form have no projection of their own.
  const embeddings = outputs[output] ?? outputs['pooler_output'];
  const [count, dimensions] = embeddings?.dims ?? [];
  if (!embeddings || count === undefined || dimensions === undefined || embeddings.dims.length !== 2) {
    throw new ModelError(`The model in ${folder} gives no ${output} of the shape [images or texts, dimensions].`);
  }
  const values = embeddings.data as Float32Array;
  const vectors = Array.from({ length: count }, (_, i) => toUnit(values.slice(i * dimensions, (i + 1) * dimensions)));
  for (const tensor of Object.values(outputs)) tensor?.dispose();
  return vectors;
}

/** The folder that models are loaded from is a global setting of the library, so models are loaded one after the other. */
let lastLoad: Promise<unknown> = Promise.resolve();

async function loadSerially<Parts>({ folder }: LoadableModel, read: (name: string) => Promise<Parts>): Promise<Parts> {
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
