import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelFamily } from '../embedder.ts';
import { constant, float, int64, integer, integers, model, node, value } from './onnx-writer.ts';

type DualFamily = Exclude<ModelFamily, 'embedding-gemma'>;

/**
 * A dual encoder of a few kilobytes that knows three colours, in the same files and read by the same code as CLIP or SigLIP: its image
 * tower gives the mean colour of a picture, its text tower the mean of what its words mean. "red" is nearest to red pictures.
 * @param tokenizer of a model of the SigLIP form; SigLIP 2 has that of Gemma
 */
export async function makeTinyModel(
  folder: string,
  family: DualFamily,
  { textDimensions = 3, quantized = false, tokenizer = 'SiglipTokenizer' } = {},
): Promise<void> {
  const words = family === 'clip' ? clipTokenizer() : siglipTokenizer(tokenizer);
  const files: Record<string, object> = {
    'config.json': {
      architectures: [family === 'clip' ? 'CLIPModel' : 'SiglipModel'],
      model_type: family,
      text_config: { model_type: `${family}_text_model` },
      vision_config: { model_type: `${family}_vision_model`, image_size: 16 },
    },
    'preprocessor_config.json': {
      image_processor_type: family === 'clip' ? 'CLIPImageProcessor' : 'SiglipImageProcessor',
      do_resize: true,
      size: family === 'clip' ? { shortest_edge: 16 } : { height: 16, width: 16 },
      resample: 3,
      ...(family === 'clip' ? { do_center_crop: true, crop_size: { height: 16, width: 16 } } : {}),
      do_rescale: true,
      rescale_factor: 1 / 255,
      do_normalize: true,
      image_mean: [0.5, 0.5, 0.5],
      image_std: [0.5, 0.5, 0.5],
    },
    'tokenizer.json': words.tokenizer,
    'tokenizer_config.json': words.config,
  };
  await mkdir(path.join(folder, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(folder, name), JSON.stringify(content));
  }
  const ending = quantized ? '_quantized' : '';
  const output = (name: string) => (family === 'clip' ? name : 'pooler_output');
  await writeFile(path.join(folder, `onnx/vision_model${ending}.onnx`), imageTower(output('image_embeds')));
  await writeFile(
    path.join(folder, `onnx/text_model${ending}.onnx`),
    textTower(output('text_embeds'), words.tokens, textDimensions),
  );
}

// Green first: of byte pairs the earlier is joined first, and red's would break it up.
const wordVectors: Record<string, number[]> = { green: [-1, 1, -1], red: [1, -1, -1], blue: [-1, -1, 1] };
const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');

export const special = (id: number, content: string) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});

/** Byte pairs that are joined from letters to the words it knows, each closed by the end of a word. */
function clipTokenizer() {
  const tokens = ['<|startoftext|>', '<|endoftext|>', ...letters, ...letters.map((letter) => `${letter}</w>`)];
  const merges: [string, string][] = [];
  for (const word of Object.keys(wordVectors)) {
    const parts = [...word.slice(0, -1).split(''), `${word.at(-1)}</w>`];
    let joined = parts[0] as string;
    for (const part of parts.slice(1)) {
      merges.push([joined, part]);
      joined += part;
      if (!tokens.includes(joined)) tokens.push(joined);
    }
  }
  const [start, end] = tokens as [string, string];
  return {
    tokens: tokens.map((token) => wordVectors[token.replace('</w>', '')] ?? [0, 0, 0]),
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [special(0, start), special(1, end)],
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: { type: 'WhitespaceSplit' },
      post_processor: {
        type: 'TemplateProcessing',
        single: [
          { SpecialToken: { id: start, type_id: 0 } },
          { Sequence: { id: 'A', type_id: 0 } },
          { SpecialToken: { id: end, type_id: 0 } },
        ],
        pair: [],
        special_tokens: {
          [start]: { id: start, ids: [0], tokens: [start] },
          [end]: { id: end, ids: [1], tokens: [end] },
        },
      },
      decoder: null,
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: end,
        continuing_subword_prefix: '',
        end_of_word_suffix: '</w>',
        fuse_unk: false,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: merges.map((pair) => pair.join(' ')),
      },
    },
    config: {
      tokenizer_class: 'CLIPTokenizer',
      model_max_length: 77,
      bos_token: start,
      eos_token: end,
      pad_token: end,
      unk_token: end,
    },
  };
}

/** Pieces with likelihoods, as SentencePiece has them; the mark in front of a piece stands for a space. */
function siglipTokenizer(kind: string) {
  const tokens = ['<unk>', '</s>', '▁', ...letters, ...Object.keys(wordVectors).map((word) => `▁${word}`)];
  return {
    tokens: tokens.map((token) => wordVectors[token.replace('▁', '')] ?? [0, 0, 0]),
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [special(0, '<unk>'), special(1, '</s>')],
      normalizer: null,
      pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true },
      post_processor: null,
      decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true },
      model: { type: 'Unigram', unk_id: 0, vocab: tokens.map((token, id) => [token, id > 28 ? -1 : -10]) },
    },
    config: {
      tokenizer_class: kind,
      model_max_length: 64,
      eos_token: '</s>',
      pad_token: '</s>',
      unk_token: '<unk>',
    },
  };
}

const imageTower = (output: string): Buffer =>
  model(
    node('GlobalAveragePool', ['pixel_values'], 'mean'),
    node('Flatten', ['mean'], output, integer('axis', 1)),
    value(11, 'pixel_values', float, ['pictures', 3, 'height', 'width']),
    value(12, output, float, ['pictures', 3]),
  );

const textTower = (output: string, tokens: number[][], dimensions: number): Buffer =>
  model(
    node('Gather', ['meanings', 'input_ids'], 'words'),
    node('ReduceMean', ['words'], output, integers('axes', [1]), integer('keepdims', 0)),
    constant(
      'meanings',
      [tokens.length, dimensions],
      tokens.flatMap((meaning) => Array.from({ length: dimensions }, (_, i) => meaning[i] ?? 0)),
    ),
    value(11, 'input_ids', int64, ['texts', 'tokens']),
    value(12, output, float, ['texts', dimensions]),
  );
