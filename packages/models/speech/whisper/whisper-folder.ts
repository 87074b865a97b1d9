import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ModelError } from '../../model-error.ts';

/** A Whisper model in the layout of Hugging Face, read without running it. */
export type WhisperFolder = {
  folder: string;
  encoder: string;
  decoder: string;
  /** Shapes of the decoder's cache. */
  heads: number;
  headSize: number;
  melBins: number;
  tokens: SpecialTokens;
  /** `[layer, head]` whose attention follows the sound as the text does. */
  alignmentHeads: [layer: number, head: number][];
};

/** Identifiers of the tokens that steer the decoder. */
type SpecialTokens = {
  start: number;
  end: number;
  transcribe: number;
  noTimestamps: number;
  /** Its probability says that there is no speech. */
  noSpeech: number;
  /** The token of each language, by its code. */
  languages: Map<string, number>;
  /** Never part of a text (notes, brackets), and not its first token. */
  suppressed: number[];
  suppressedAtStart: number[];
};

const files = ['config.json', 'generation_config.json', 'preprocessor_config.json', 'tokenizer.json'];
/** How weights end, the preferred first: smaller and quicker. */
const suffixes = ['_quantized', ''];

/** What is downloaded of such a model: its weights in 8 bits. */
export const whisperFiles: readonly string[] = [
  ...files,
  'onnx/encoder_model_quantized.onnx',
  'onnx/decoder_model_merged_quantized.onnx',
];

/** Reads what a folder holds. Throws `ModelError`. */
export async function readWhisperFolder(folder: string): Promise<WhisperFolder> {
  const has = (file: string) =>
    access(path.join(folder, file)).then(
      () => true,
      () => false,
    );
  for (const file of files) {
    if (!(await has(file))) throw new ModelError(`The speech model folder ${folder} has no ${file}.`);
  }
  const config = await readJson(folder, 'config.json');
  if (config['model_type'] !== 'whisper') {
    throw new ModelError(
      `The model in ${folder} is of the type ${String(config['model_type'])}; only whisper can be used.`,
    );
  }
  for (const suffix of suffixes) {
    const [encoder, decoder] = ['encoder_model', 'decoder_model_merged'].map((name) => `onnx/${name}${suffix}.onnx`);
    if (!encoder || !decoder || !(await has(encoder)) || !(await has(decoder))) continue;
    const generation = await readJson(folder, 'generation_config.json');
    return describe(folder, { encoder, decoder }, config, generation);
  }
  throw new ModelError(
    `The speech model folder ${folder} has no weights: onnx/encoder_model.onnx and onnx/decoder_model_merged.onnx, or both with the ending _quantized.`,
  );
}

function describe(
  folder: string,
  weights: { encoder: string; decoder: string },
  config: Record<string, unknown>,
  generation: Record<string, unknown>,
): WhisperFolder {
  const number = (from: Record<string, unknown>, name: string): number => {
    const value = from[name];
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
      throw new ModelError(`The model in ${folder} does not say its ${name}.`);
    }
    return value;
  };
  const list = <Value>(name: string): Value[] => (Array.isArray(generation[name]) ? (generation[name] as Value[]) : []);
  const heads = number(config, 'decoder_attention_heads');
  const noTimestamps = number(generation, 'no_timestamps_token_id');
  const languages = Object.entries((generation['lang_to_id'] ?? {}) as Record<string, number>);
  if (languages.length === 0) {
    throw new ModelError(`The model in ${folder} knows one language only; a multilingual Whisper is needed.`);
  }
  return {
    folder,
    ...weights,
    heads,
    headSize: number(config, 'd_model') / heads,
    melBins: number(config, 'num_mel_bins'),
    alignmentHeads: list<[number, number]>('alignment_heads'),
    tokens: {
      start: number(generation, 'decoder_start_token_id'),
      end: number(generation, 'eos_token_id'),
      transcribe: number((generation['task_to_id'] ?? {}) as Record<string, unknown>, 'transcribe'),
      noTimestamps,
      noSpeech: noTimestamps - 1,
      languages: new Map(languages.map(([token, id]) => [token.slice(2, -2), id])),
      suppressed: list('suppress_tokens'),
      suppressedAtStart: list('begin_suppress_tokens'),
    },
  };
}

async function readJson(folder: string, file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Record<string, unknown>;
  } catch (error) {
    throw new ModelError(`${file} of the model in ${folder} is no JSON.`, { cause: error });
  }
}
