import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { toUnit } from '../../vectors.ts';
import { createWordReader, type PieceTokenizer } from './readable-words.ts';
import { readWeightSections } from './weight-sections.ts';

/** Longer texts are cut to this many word pieces, as in training. */
const maxPieces = 32;

/** The vector of a text, of unit length; null when none of its words can be read. And the words that cannot be read, as written. */
export type SemanticText = { vector: Float32Array | null; unknown: string[] };

/**
 * Reads the text tower from a folder: a vector for each word piece of the tokenizer, a weighted mean of them, and a small network. It
 * takes less than a millisecond a text, so it runs where the text is. Throws when files are missing or do not fit together.
 */
export async function readTextTower(folder: string): Promise<(text: string) => SemanticText> {
  const weights = await readWeightSections(folder);
  const { dimensions, width, hidden, vocabulary, manyFactor } = weights.description;
  const table = weights.bytes('table', vocabulary, width);
  const scales = weights.floats('scales', vocabulary);
  const pieceWeights = weights.floats('weights', vocabulary);
  const linear = weights.floats('linear', width, dimensions);
  const inner = weights.floats('hidden', width, hidden);
  const bias = weights.floats('bias', hidden);
  const output = weights.floats('output', hidden, dimensions);
  const rules = JSON.parse(await readFile(path.join(folder, 'tokenizer.json'), 'utf8')) as object;
  const readWords = createWordReader(new Tokenizer(rules, {}) as PieceTokenizer);

  /** Weighted mean of the rows of some word pieces. */
  function meanOfPieces(ids: number[]): Float32Array {
    const sum = new Float32Array(width);
    let total = 0;
    for (const id of ids) {
      const weight = pieceWeights[id] as number;
      const factor = weight * (scales[id] as number);
      const row = id * width;
      for (let i = 0; i < width; i++) sum[i]! += factor * table[row + i]!;
      total += weight;
    }
    const factor = (ids.length > 1 ? manyFactor : 1) / total;
    return sum.map((value) => factor * value);
  }

  return (text) => {
    const { pieces, unknown } = readWords(text);
    if (pieces.length === 0) return { vector: null, unknown };
    const mean = meanOfPieces(pieces.slice(0, maxPieces));
    const activations = Float32Array.from(bias);
    addProduct(activations, mean, inner);
    const sum = new Float32Array(dimensions);
    addProduct(sum, mean, linear);
    addProduct(
      sum,
      activations.map((value) => Math.max(0, value)),
      output,
    );
    return { vector: toUnit(sum), unknown };
  };
}

/** Adds the product of a row vector and a matrix, stored row by row, to a vector. */
function addProduct(sum: Float32Array, vector: Float32Array, matrix: Float32Array): void {
  const columns = sum.length;
  for (let i = 0; i < vector.length; i++) {
    const factor = vector[i]!;
    if (factor === 0) continue;
    const row = i * columns;
    for (let j = 0; j < columns; j++) sum[j]! += factor * matrix[row + j]!;
  }
}
