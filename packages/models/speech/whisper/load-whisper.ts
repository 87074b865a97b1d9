import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { WhisperFeatureExtractor } from '@huggingface/transformers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ModelError } from '../../model-error.ts';
import type { WhisperFolder } from './whisper-folder.ts';

/** Samples a second. */
const sampleRate = 16_000;
/** The encoder always takes so many seconds. */
const maxWindowSeconds = 30;
/** Positions of the encoder's output a second. */
export const positionsPerSecond = 50;

/** A step of the decoder, of one of the texts that it goes on with. */
type DecoderStep = {
  /** The logit of each token of the vocabulary to come next. */
  logits: Float32Array;
  /** The attention of each alignment head to each position of the sound: sums to 1. */
  attention: Float32Array[];
};

/** A window of sound that the decoder reads. */
export type EncodedSound = {
  /**
   * Goes on with several texts at once, each by one token. Every text but the first token's goes on from one of the call before.
   * @param tokens of each text
   * @param parents which text of the call before each goes on from; as many as before unless that was one
   */
  advance(tokens: readonly number[], parents: readonly number[]): Promise<DecoderStep[]>;
  /** Starts again from nothing. */
  restart(): void;
};

export type Whisper = WhisperFolder & {
  /** @param samples mono at 16 kHz, at most 30 s */
  encode(samples: Float32Array): Promise<EncodedSound>;
  decodeText: (tokens: number[]) => string;
  release(): Promise<void>;
};

/**
 * Loads Whisper (Radford et al., 2022) in ONNX. transformers.js 4.3 could run it as well, but detects no language, tells no
 * probabilities, and copies the attention of the encoder, 216 MB, at each window. Throws `ModelError`.
 * @param threads that it may use
 */
export async function loadWhisper(model: WhisperFolder, threads: number): Promise<Whisper> {
  try {
    const [encoder, decoder] = await Promise.all(
      [model.encoder, model.decoder].map((file) => openSession(path.join(model.folder, file), threads)),
    );
    const [tokenizer, extractor] = await Promise.all(
      ['tokenizer.json', 'preprocessor_config.json'].map((file) => readFile(path.join(model.folder, file), 'utf8')),
    );
    return createWhisper(model, {
      encoder: encoder as InferenceSession,
      decoder: decoder as InferenceSession,
      tokenizer: new Tokenizer(JSON.parse(tokenizer ?? '') as object, {}),
      toMel: createMelExtractor(JSON.parse(extractor ?? '') as object),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModelError(`The speech model in ${model.folder} cannot be loaded: ${reason}`, { cause: error });
  }
}

/** The same model, which gives up when the signal is aborted: a window is some seconds of work. */
export const untilAborted = (whisper: Whisper, signal: AbortSignal): Whisper => ({
  ...whisper,
  async encode(samples) {
    const sound = await whisper.encode(samples);
    return {
      ...sound,
      advance(tokens, parents) {
        signal.throwIfAborted();
        return sound.advance(tokens, parents);
      },
    };
  },
});

const openSession = (file: string, threads: number): Promise<InferenceSession> =>
  InferenceSession.create(file, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    enableMemPattern: false,
    extra: {
      session: {
        // A thread that waits would keep its core busy, which another process needs.
        'intra_op.allow_spinning': '0',
        // Else the table of the vocabulary is turned into floats again at each token, which takes five times as long as all the rest.
        disable_quant_qdq: '1',
      },
    },
    logSeverityLevel: 3,
  });

type MelExtractor = (samples: Float32Array) => Promise<Float32Array>;

type Parts = { encoder: InferenceSession; decoder: InferenceSession; tokenizer: Tokenizer; toMel: MelExtractor };

function createWhisper(model: WhisperFolder, { encoder, decoder, tokenizer, toMel }: Parts): Whisper {
  return {
    ...model,
    async encode(samples) {
      const mel = await toMel(samples);
      const features = new Tensor('float32', mel, [1, model.melBins, mel.length / model.melBins]);
      // Only what is asked for is copied.
      const { last_hidden_state: hidden } = await encoder.run({ input_features: features }, ['last_hidden_state']);
      return createEncodedSound(model, decoder, hidden as Tensor);
    },
    decodeText: (tokens) => tokenizer.decode(tokens, { skip_special_tokens: true }),
    async release() {
      await Promise.all([encoder.release(), decoder.release()]);
    },
  };
}

/** Log-mel spectra of 30 s, padded with silence: only the sound that there is costs time. */
function createMelExtractor(config: object): MelExtractor {
  const extractor = new WhisperFeatureExtractor(config);
  const { feature_size: bins, nb_max_frames: frames } = config as { feature_size: number; nb_max_frames: number };
  return async (samples) => {
    const sound = samples.subarray(0, maxWindowSeconds * sampleRate);
    // A spectrum reaches a little beyond the end.
    const length = Math.min(sound.length + sampleRate / 10, maxWindowSeconds * sampleRate);
    const { input_features: features } = (await extractor._call(sound, { max_length: length })) as {
      input_features: { data: Float32Array; dims: number[] };
    };
    const heard = features.dims[2] ?? 0;
    // As the authors do: (log10(power) + 4) / 4, of 1e-10 at least, and no more than 80 dB below the loudest.
    const loudest = features.data.reduce((most, value) => Math.max(most, value), -Infinity);
    const silence = Math.max((-10 + 4) / 4, loudest - 8 / 4);
    const mel = new Float32Array(bins * frames).fill(silence);
    for (let bin = 0; bin < bins; bin++) {
      mel.set(features.data.subarray(bin * heard, bin * heard + Math.min(heard, frames)), bin * frames);
    }
    return mel;
  };
}

/** The merged decoder has a branch for the first token and one that continues from cached keys and values. */
function createEncodedSound(
  { heads, headSize, alignmentHeads }: WhisperFolder,
  decoder: InferenceSession,
  hidden: Tensor,
): EncodedSound {
  const cached = decoder.outputNames.filter((name) => name.startsWith('present.'));
  const growing = cached.filter((name) => !name.includes('.encoder.'));
  const attended = [...new Set(alignmentHeads.map(([layer]) => `cross_attentions.${layer}`))].filter((name) =>
    decoder.outputNames.includes(name),
  );
  const empty = () => new Tensor('float32', new Float32Array(0), [1, heads, 0, headSize]);
  let past: Record<string, Tensor> = {};
  let isFirst = true;
  /** The model takes the sound as often as there are texts, although it is the same. */
  let sounds = hidden;
  function restart() {
    isFirst = true;
    sounds = hidden;
    past = Object.fromEntries(cached.map((name) => [name.replace('present', 'past_key_values'), empty()]));
  }
  restart();
  return {
    restart,
    async advance(tokens, parents) {
      const kept = isFirst ? cached : growing;
      if (!isFirst) {
        const isSpread = sounds.dims[0] !== tokens.length;
        if (isSpread) sounds = takeRows(hidden, parents);
        for (const [name, tensor] of Object.entries(past)) {
          if (isSpread || !name.includes('.encoder.')) past[name] = takeRows(tensor, parents);
        }
      }
      const outputs = (await decoder.run(
        {
          ...past,
          input_ids: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length, 1]),
          encoder_hidden_states: sounds,
          use_cache_branch: new Tensor('bool', [!isFirst]),
        },
        ['logits', ...kept, ...attended],
      )) as Record<string, Tensor>;
      isFirst = false;
      for (const name of kept) past[name.replace('present', 'past_key_values')] = outputs[name] as Tensor;
      const logits = outputs['logits']?.data as Float32Array;
      const size = logits.length / tokens.length;
      return tokens.map((_, row) => ({
        logits: logits.subarray(row * size, (row + 1) * size),
        attention: alignmentHeads.flatMap(([layer, head]) => {
          const all = outputs[`cross_attentions.${layer}`]?.data as Float32Array | undefined;
          const positions = (all?.length ?? 0) / heads / tokens.length;
          const from = (row * heads + head) * positions;
          return all ? [all.slice(from, from + positions)] : [];
        }),
      }));
    },
  };
}

/** Rows of the first dimension, some perhaps more than once. */
function takeRows(tensor: Tensor, rows: readonly number[]): Tensor {
  const [count = 1, ...dims] = tensor.dims;
  if (rows.length === count && rows.every((row, i) => row === i)) return tensor;
  const data = tensor.data as Float32Array;
  const size = data.length / count;
  const taken = new Float32Array(rows.length * size);
  rows.forEach((row, i) => taken.set(data.subarray(row * size, (row + 1) * size), i * size));
  return new Tensor('float32', taken, [rows.length, ...dims]);
}
