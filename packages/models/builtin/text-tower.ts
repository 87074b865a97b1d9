import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { meanDirection } from '@media-search/search-engine/vectors';
import type { Tensor } from 'onnxruntime-node';
import { ModelError } from '../model-error.ts';
import { openSession } from './open-session.ts';
import { createWordReader, type PieceTokenizer, type ReadText } from './readable-words.ts';

/** Longer texts are cut to this many word pieces with the two marks around them: more than most captions have, and five milliseconds. */
const maxPieces = 32;

/**
 * Sentences around a text that says little, whose mean vector is taken: the heads learned from captions, and a single word that many of them hold, such as
 * "dog", is hardly similar to any image, while "a dog in the picture" is. As for CLIP (Radford et al. 2021, 3.1.4). Four runs in place of one.
 */
const frames = [
  (text: string) => text,
  (text: string) => `a ${text}`,
  (text: string) => `a photo of a ${text}`,
  (text: string) => `a ${text} in the picture`,
];

/** A text of more words that describe something, or with an article, reads like a caption by itself. */
const maxFramedWords = 3;
const isCaption = (text: string, contentCount: number): boolean =>
  contentCount > maxFramedWords || /^\s*(?:an?|the)\s/i.test(text);

/** The vector of a text, of unit length; null when none of its words can be read. */
export type SemanticText = { vector: Float32Array | null } & Pick<ReadText, 'readable' | 'unknown'>;

/**
 * Loads the text tower of a folder (`text.onnx`, `tokenizer.json`). ONNX Runtime holds up its thread for two milliseconds a text, and for as
 * many as 600 when it loads. Throws `ModelError`.
 */
export async function loadTextTower(folder: string): Promise<(text: string) => Promise<SemanticText>> {
  const { run, Tensor } = await openSession(path.join(folder, 'text.onnx'), 1);
  const readWords = createWordReader(await readTokenizer(path.join(folder, 'tokenizer.json')));
  const embed = async (pieces: number[]): Promise<Float32Array> => {
    const used = pieces.length <= maxPieces ? pieces : [...pieces.slice(0, maxPieces - 1), pieces.at(-1) as number];
    const ids: Tensor = new Tensor('int64', BigInt64Array.from(used, BigInt), [1, used.length]);
    return await run({ input_ids: ids });
  };
  return async (text) => {
    const { pieces, contentCount, ...read } = readWords(text);
    if (pieces.length === 0) return { vector: null, ...read };
    if (isCaption(read.readable, contentCount)) return { vector: await embed(pieces), ...read };
    const framed: Float32Array[] = [];
    for (const frame of frames) framed.push(await embed(readWords(frame(read.readable.trim())).pieces));
    return { vector: meanDirection(framed), ...read };
  };
}

async function readTokenizer(file: string): Promise<PieceTokenizer> {
  try {
    return new Tokenizer(JSON.parse(await readFile(file, 'utf8')) as object, {}) as PieceTokenizer;
  } catch (error) {
    throw new ModelError('The weights tokenizer.json of the built-in embedder cannot be loaded.', { cause: error });
  }
}
