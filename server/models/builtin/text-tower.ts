import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type { Tensor } from 'onnxruntime-node';
import { openSession } from './open-session.ts';
import { createWordReader, type PieceTokenizer, type ReadText } from './readable-words.ts';

/** Longer texts are cut to this many word pieces with the two marks around them, as in training. */
const maxPieces = 64;

/** The vector of a text, of unit length; null when none of its words can be read. */
export type SemanticText = { vector: Float32Array | null } & Pick<ReadText, 'readable' | 'unknown'>;

/**
 * Loads the text tower of a folder (`text.onnx`, `tokenizer.json`). It takes two milliseconds a text on another thread, so it needs no
 * process of its own.
 */
export async function loadTextTower(folder: string): Promise<(text: string) => Promise<SemanticText>> {
  const rules = JSON.parse(await readFile(path.join(folder, 'tokenizer.json'), 'utf8')) as object;
  const readWords = createWordReader(new Tokenizer(rules, {}) as PieceTokenizer);
  const { run, Tensor } = await openSession(path.join(folder, 'text.onnx'), 1);
  return async (text) => {
    const { pieces, ...read } = readWords(text);
    if (pieces.length === 0) return { vector: null, ...read };
    const used = pieces.length <= maxPieces ? pieces : [...pieces.slice(0, maxPieces - 1), pieces.at(-1) as number];
    const ids: Tensor = new Tensor('int64', BigInt64Array.from(used, BigInt), [1, used.length]);
    return { vector: await run({ input_ids: ids }), ...read };
  };
}
