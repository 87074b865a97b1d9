import {
  AutoProcessor,
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  SiglipTextModel,
  SiglipVisionModel,
  type Tensor,
} from '@huggingface/transformers';
import type { RgbImage } from '@media-search/media/rgb-image';
import { meanDirection } from '@media-search/search-engine/vectors';
import type { Embedder } from '../embedder.ts';
import { ModelError } from '../model-error.ts';
import { traitsOf } from '../model-traits.ts';
import { once } from '../once.ts';
import {
  type LoadableModel,
  loadingOptions,
  loadSerially,
  type SemanticReference,
  takeVectors,
  toRawImage,
} from './load-model.ts';

/** Images that go through the image tower together. More only take more memory. */
const batchSize = 8;
/** SigLIP was trained on texts padded to this many tokens, and reads others wrongly. */
const siglipTokens = 64;

/**
 * A dual encoder of the CLIP (Radford et al., 2021) or SigLIP (Zhai et al., 2023) form in ONNX Runtime on the processor. The
 * towers are loaded when they are first needed: a query needs that for texts only. Throws `ModelError` then, for files that are
 * not what they should be.
 * @param threads that each tower may use
 */
export function createDualEncoder(reference: SemanticReference, threads: number): Embedder {
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
export async function tryDualEncoder(model: LoadableModel): Promise<number> {
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
      const rawImages = images.slice(i, i + batchSize).map(toRawImage);
      vectors.push(...(await runTower(tower, (await processor(rawImages)) as object, 'image_embeds', model)));
    }
    return vectors;
  };
}

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
  return takeVectors(outputs, outputs[output] ?? outputs['pooler_output'], { folder, name: output });
}
