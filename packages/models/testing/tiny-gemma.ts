import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bool, constant, float, int64, integer, integers, model, node, value, whole } from './onnx-writer.ts';
import { special } from './tiny-model.ts';

/** Numbers of a token inside of the model: how red, green and blue, and how loud. */
const hidden = 4;
/** Numbers of its vectors: the four again and again, so that the first of them say the same as all. */
const width = 768;

const meanings: Record<string, number[]> = {
  red: [1, -1, -1, 0],
  green: [-1, 1, -1, 0],
  blue: [-1, -1, 1, 0],
  loud: [0, 0, 0, 1],
  quiet: [0, 0, 0, -1],
};
const marks = {
  image: ['<|image|>', '<|image>', '<image|>'],
  audio: ['<|audio|>', '<|audio>', '<audio|>'],
  video: ['<|video|>'],
} as const;
const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const markTokens = Object.values(marks).flat();
const tokens = [
  '<unk>',
  '<eos>',
  '<pad>',
  ...markTokens,
  '▁',
  ...letters,
  ...Object.keys(meanings).map((word) => `▁${word}`),
];
const idOf = (token: string): number => tokens.indexOf(token);

/**
 * A model of some kilobytes of the form of EmbeddingGemma 2: the same files, inputs and outputs, as the library's source and the mirror of its text part
 * (huggingface.co/gsmlg/embeddinggemma-2) name them, read by the same code. It knows three colours, and loud from quiet: a picture is one token for each of its
 * patches with the mean colour of that, a sound one for every fourth frame of its spectrogram, and a vector is the mean of all tokens.
 * @param ending of the files of weights: `_quantized` for 8 bits, or none
 */
export async function makeTinyGemma(folder: string, ending = ''): Promise<void> {
  await mkdir(path.join(folder, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(folder, name), JSON.stringify(content));
  }
  const parts = { model: textModel, vision_encoder: visionEncoder, audio_encoder: audioEncoder };
  for (const [name, content] of Object.entries(parts)) {
    await writeFile(path.join(folder, `onnx/${name}${ending}.onnx`), content);
  }
}

const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true };
const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: ['<unk>', '<eos>', '<pad>', ...markTokens].map((token) => special(idOf(token), token)),
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: metaspace,
  post_processor: null,
  decoder: metaspace,
  model: {
    type: 'Unigram',
    unk_id: 0,
    vocab: tokens.map((token) => [token, meanings[token.replace('▁', '')] ? -1 : -10]),
  },
};

/** What the files beside the weights say. */
const pictures = {
  do_resize: true,
  do_rescale: true,
  rescale_factor: 1 / 255,
  resample: 3,
  patch_size: 16,
  pooling_kernel_size: 1,
};
const files: Record<string, object> = {
  'config.json': {
    architectures: ['EmbeddingGemma2Model'],
    model_type: 'embedding_gemma2',
    image_token_id: idOf('<|image|>'),
    video_token_id: idOf('<|video|>'),
    audio_token_id: idOf('<|audio|>'),
    text_config: { model_type: 'embedding_gemma2_text', hidden_size: hidden },
    vision_config: { model_type: 'gemma4_vision' },
    audio_config: { model_type: 'gemma4_audio' },
  },
  'processor_config.json': {
    processor_class: 'EmbeddingGemma2Processor',
    image_processor: { ...pictures, image_processor_type: 'Gemma4ImageProcessor', max_soft_tokens: 4 },
    // Fewer tokens for a frame of a video, as the real one has them.
    video_processor: { ...pictures, max_soft_tokens: 2, max_frames: 32 },
    feature_extractor: {
      feature_extractor_type: 'Gemma4AudioFeatureExtractor',
      feature_size: 128,
      fft_length: 512,
      frame_length: 320,
      hop_length: 160,
      max_frequency: 8000,
      min_frequency: 0,
      mel_floor: 0.001,
      padding_value: 0,
      preemphasis: 0,
      preemphasis_htk_flavor: true,
      return_attention_mask: true,
      sampling_rate: 16_000,
    },
  },
  'tokenizer.json': tokenizer,
  'tokenizer_config.json': {
    tokenizer_class: 'GemmaTokenizer',
    eos_token: '<eos>',
    pad_token: '<pad>',
    unk_token: '<unk>',
    image_token: '<|image|>',
    boi_token: '<|image>',
    eoi_token: '<image|>',
    audio_token: '<|audio|>',
    boa_token: '<|audio>',
    eoa_token: '<audio|>',
    video_token: '<|video|>',
  },
};
/** Patches of pictures, padded with such at the place -1, to one token for each that is there. */
const visionEncoder = model(
  node('Reshape', ['pixel_values', 'as pixels'], 'pixels'),
  node('ReduceMean', ['pixels'], 'colours', integers('axes', [1]), integer('keepdims', 0)),
  // From 0..1 to -1..1.
  node('Mul', ['colours', 'two'], 'doubled'),
  node('Sub', ['doubled', 'one'], 'centred'),
  node('MatMul', ['centred', 'without sound'], 'patches'),
  node('Gather', ['pixel_position_ids', 'first'], 'columns', integer('axis', 2)),
  node('Reshape', ['columns', 'flat'], 'places'),
  node('GreaterOrEqual', ['places', 'zero'], 'is there'),
  node('Compress', ['patches', 'is there'], 'image_features', integer('axis', 0)),
  whole('as pixels', [3], [-1, 16 * 16, 3]),
  constant('two', [], [2]),
  constant('one', [], [1]),
  constant('without sound', [3, hidden], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]),
  whole('first', [], [0]),
  whole('flat', [1], [-1]),
  whole('zero', [], [0]),
  value(11, 'pixel_values', float, ['pictures', 'patches', 16 * 16 * 3]),
  value(11, 'pixel_position_ids', int64, ['pictures', 'patches', 2]),
  value(12, 'image_features', float, ['tokens', hidden]),
);

/** Every fourth frame of a spectrogram that is there to one token: how loud it is. Silence has -6.9, the logarithm of the floor, a loud tone some more than -4. */
const audioEncoder = model(
  node('Slice', ['input_features', 'from', 'to', 'along frames', 'by'], 'frames'),
  node('Slice', ['input_features_mask', 'from', 'to', 'along frames', 'by'], 'mask'),
  node('ReduceMean', ['frames'], 'logarithms', integers('axes', [2]), integer('keepdims', 0)),
  node('Add', ['logarithms', 'middle'], 'loudness'),
  node('Reshape', ['loudness', 'as column'], 'column'),
  node('MatMul', ['column', 'without colour'], 'sounds'),
  node('Reshape', ['mask', 'flat'], 'is there'),
  node('Compress', ['sounds', 'is there'], 'audio_features', integer('axis', 0)),
  whole('from', [1], [0]),
  whole('to', [1], [1_000_000]),
  whole('along frames', [1], [1]),
  whole('by', [1], [4]),
  constant('middle', [], [5.5]),
  whole('as column', [2], [-1, 1]),
  constant('without colour', [1, hidden], [0, 0, 0, 0.1]),
  whole('flat', [1], [-1]),
  value(11, 'input_features', float, ['clips', 'frames', 128]),
  value(11, 'input_features_mask', bool, ['clips', 'frames']),
  value(12, 'audio_features', float, ['tokens', hidden]),
);

/** Puts the tokens of media in the places of their marks, one after the other. */
function placeMedia(kind: 'image' | 'video' | 'audio', before: string, after: string): Buffer[] {
  return [
    node('Equal', ['input_ids', `${kind} mark`], `is ${kind}`),
    node('NonZero', [`is ${kind}`], `${kind} places`),
    node('Transpose', [`${kind} places`], `places of ${kind}`, integers('perm', [1, 0])),
    node('ScatterND', [before, `places of ${kind}`, `${kind}_features`], after),
    whole(`${kind} mark`, [], [idOf(`<|${kind}|>`)]),
    value(11, `${kind}_features`, float, [`${kind} tokens`, hidden]),
  ];
}

const textModel = model(
  node('Gather', ['meanings', 'input_ids'], 'words'),
  ...placeMedia('image', 'words', 'with images'),
  ...placeMedia('video', 'with images', 'with videos'),
  ...placeMedia('audio', 'with videos', 'tokens'),
  node('Cast', ['attention_mask'], 'counts', integer('to', float)),
  node('Unsqueeze', ['counts', 'last'], 'weights'),
  node('Mul', ['tokens', 'weights'], 'weighted'),
  node('ReduceSum', ['weighted', 'along tokens'], 'sum', integer('keepdims', 0)),
  node('MatMul', ['sum', 'again and again'], 'sentence_embedding'),
  constant(
    'meanings',
    [tokens.length, hidden],
    tokens.flatMap((token) => meanings[token.replace('▁', '')] ?? [0, 0, 0, 0]),
  ),
  whole('last', [1], [2]),
  whole('along tokens', [1], [1]),
  constant(
    'again and again',
    [hidden, width],
    Array.from({ length: hidden * width }, (_, i) => (Math.floor(i / width) === (i % width) % hidden ? 1 : 0)),
  ),
  value(11, 'input_ids', int64, ['texts', 'tokens']),
  value(11, 'attention_mask', int64, ['texts', 'tokens']),
  value(12, 'sentence_embedding', float, ['texts', width]),
);
