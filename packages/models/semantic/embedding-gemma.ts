import {
  AutoConfig,
  AutoTokenizer,
  EmbeddingGemma2Model,
  EmbeddingGemma2Processor,
  RawVideo,
  type Tensor,
} from '@huggingface/transformers';
import type { Moment } from '@media-search/media/rgb-image';
import type { ChunkSound, EmbeddedChunk, Embedder } from '../embedder.ts';
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

/** What the authors put in front of a query that looks for something; pictures and sounds have nothing in front of them. */
const queryPrompt = 'task: search result | query: ';
/** The marks that stand for media in a text. Written by a user, they would stand for media that are not there. */
const mediaMarks = /<\|(?:image|video|audio)\|>/g;
/** Less sound than this has no frame of a spectrogram, samples: a tenth of a second. */
const leastSamples = 1600;
/** Seconds between two frames of a video: the model takes frames as they come and reads no time stamps. */
const frameSeconds = 1;

type Run = (inputs: object) => Promise<Float32Array>;

/**
 * EmbeddingGemma 2 (Google, 2026) in ONNX Runtime on the processor: one model for texts, pictures, videos and sound, whose vectors may be cut to their first 512, 256 or
 * 128 numbers. A chunk of several moments is embedded as a video, with its sound, and each of its moments as a picture. Of a process that embeds texts only, the
 * encoders of pictures and sound are not loaded.
 * @param threads that each part may use
 */
export function createEmbeddingGemma(reference: SemanticReference, threads: number): Embedder {
  const { id, dimensions } = reference;
  const text = once(() => loadTextModel(reference, threads, dimensions));
  const whole = once(() => loadWholeModel(reference, threads, dimensions));

  async function embedChunk(moments: Moment[], sound: ChunkSound): Promise<EmbeddedChunk> {
    const { processor, run } = await whole();
    const images = moments.map(({ image }) => toRawImage(image));
    const vectors: Float32Array[] = [];
    for (const image of images) vectors.push(await run(await processor(null, [[image]])));
    const heard = sound && sound.length >= leastSamples ? [[sound]] : undefined;
    const [only] = vectors;
    if (!heard && vectors.length === 1 && only) return { vector: only, moments: vectors };
    const seen: Parameters<typeof processor> =
      images.length === 1
        ? [null, [images], heard]
        : [null, undefined, heard, [[new RawVideo(images, images.length * frameSeconds)]]];
    return { vector: await run(await processor(...seen)), moments: vectors };
  }

  return {
    id,
    kind: 'semantic',
    dimensions,
    ...traitsOf(reference),
    async embedChunks(chunks, sounds = []) {
      const embedded: EmbeddedChunk[] = [];
      for (const [i, moments] of chunks.entries()) embedded.push(await embedChunk(moments, sounds[i] ?? null));
      return embedded;
    },
    async embedText(query) {
      const { tokenizer, run } = await text();
      return { vector: await run(tokenizer(toPrompt(query))), unknown: [] };
    },
    async embedComposed(image, words) {
      const { processor, run } = await whole();
      const inputs = await processor(`${queryPrompt}${processor.image_token} ${withoutMarks(words)}`, [
        [toRawImage(image)],
      ]);
      return run(inputs);
    },
  };
}

/** Loads all of a model and embeds a picture, a sound and a text. Throws `ModelError`. @returns the dimensions of its vectors */
export async function tryEmbeddingGemma(model: LoadableModel): Promise<number> {
  const { processor, run } = await loadWholeModel(model, 1, Infinity);
  const grey = toRawImage({ width: 64, height: 64, data: new Uint8Array(64 * 64 * 3).fill(128) });
  const vector = await run(await processor(`${processor.image_token} a picture`, [[grey]]));
  await run(await processor(null, undefined, [[new Float32Array(2 * leastSamples)]]));
  return vector.length;
}

const withoutMarks = (words: string): string => words.replaceAll(mediaMarks, ' ');
const toPrompt = (query: string): string => queryPrompt + withoutMarks(query);

async function loadTextModel(model: LoadableModel, threads: number, dimensions: number) {
  const [tokenizer, parts] = await loadSerially(model, async (name) => {
    const config = await AutoConfig.from_pretrained(name, { local_files_only: true });
    // Without them their encoders are not loaded.
    Object.assign(config, { vision_config: null, audio_config: null });
    return [
      await AutoTokenizer.from_pretrained(name, { local_files_only: true }),
      await EmbeddingGemma2Model.from_pretrained(name, { ...loadingOptions(model, threads), config }),
    ] as const;
  });
  return { tokenizer, run: runner(parts, model, dimensions) };
}

async function loadWholeModel(model: LoadableModel, threads: number, dimensions: number) {
  const [processor, parts] = await loadSerially(
    model,
    async (name) =>
      [
        (await EmbeddingGemma2Processor.from_pretrained(name, { local_files_only: true })) as EmbeddingGemma2Processor &
          EmbeddingGemma2Processor['_call'],
        await EmbeddingGemma2Model.from_pretrained(name, loadingOptions(model, threads)),
      ] as const,
  );
  return { processor, run: runner(parts, model, dimensions) };
}

/** One input at a time: of a batch the shorter inputs would be padded, which takes as long. */
const runner =
  (parts: (inputs: object) => Promise<unknown>, { folder }: LoadableModel, dimensions: number): Run =>
  async (inputs) => {
    const outputs = (await parts(inputs)) as Record<string, Tensor | undefined>;
    const output = 'sentence_embedding';
    const [vector] = takeVectors(outputs, outputs[output], { folder, name: output, dimensions });
    return vector as Float32Array;
  };
