import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { meanDirection, toUnit } from '@media-search/search-engine/vectors';
import type { Tensor } from 'onnxruntime-node';
import { connectives } from '../descriptors/dictionary.ts';
import { ModelError } from '../model-error.ts';
import { once } from '../once.ts';
import { openSession } from './open-session.ts';

/** What is used of a tokenizer. (The package's own types cannot be resolved by the rules of Node's modules.) */
export type PieceTokenizer = {
  /** Word pieces, with a mark before and a mark after them unless `add_special_tokens` is false. */
  encode(text: string, options?: { add_special_tokens: boolean }): { ids: number[]; tokens: string[] };
};

/** What can be read of a text. */
type ReadText = {
  /** The text without the words that cannot be read. */
  readable: string;
  /** Its word pieces with the marks around them; empty when there is no word. */
  pieces: number[];
  /** How many of its words describe something, and do not only join others. */
  contentCount: number;
  /** The words that cannot be read, in order, as written. */
  unknown: string[];
};

/** Words in the sense of this file: letters and digits with what belongs to them, or an emoji. */
const wordPattern = /[\p{L}\p{M}\p{N}&']+|\p{Extended_Pictographic}/gu;
const maxWords = 100;

/** A word is read when at least this share of its letters is in pieces of two letters and more. */
const minReadableShare = 0.5;

/**
 * Reads texts as word pieces, and tells the words that it cannot read. The vocabulary holds every Latin letter, and many letters of other
 * scripts, as a piece of its own: any string of them has pieces, but no meaning. A word counts as read when its letters are Latin, most
 * of them are in longer pieces, which are parts of English words, and it has a vowel or is short. Nonsense of such parts passes.
 */
export function createWordReader(tokenizer: PieceTokenizer): (text: string) => ReadText {
  function isReadable(word: string): boolean {
    if (/^[0-9]+$/.test(word)) return true;
    if (/[^\p{Script=Latin}\p{M}\p{N}&']/u.test(word)) return false;
    const { tokens } = tokenizer.encode(word, { add_special_tokens: false });
    if (tokens.length === 1) return tokens[0] !== '[UNK]';
    // No English word of this length is without a vowel.
    if (word.length >= 4 && !/[aeiouy]/i.test(word.normalize('NFD'))) return false;
    const lengths = tokens.map((token) => token.replace(/^##/, '').length);
    const letters = lengths.reduce((sum, length) => sum + length, 0);
    const inPieces = lengths.filter((length) => length > 1).reduce((sum, length) => sum + length, 0);
    return inPieces / letters >= minReadableShare;
  }
  return (text) => {
    const unknown: string[] = [];
    let words = 0;
    const readable = text.normalize('NFKC').replaceAll(wordPattern, (word) => {
      words += 1;
      if (words > maxWords) return ' ';
      if (isReadable(word)) return word;
      if (!unknown.includes(word)) unknown.push(word);
      return ' ';
    });
    // Words that only join others describe nothing. In square brackets the tokenizer would take a word for one of its marks.
    const contentCount =
      readable.match(/[\p{L}\p{N}']+/gu)?.filter((word) => !connectives.has(word.toLowerCase())).length ?? 0;
    const pieces = contentCount > 0 ? tokenizer.encode(readable.replaceAll(/[[\]]/g, ' ')).ids : [];
    return { readable, pieces, contentCount, unknown };
  };
}

/** Longer queries are cut to this many word pieces with the two marks around them: more than most captions have, and five milliseconds. */
const maxPieces = 32;
/** Longer passages are cut to this many: so many MiniLM was trained with. */
const maxPassagePieces = 128;

/**
 * Sentences around a text that says little, whose mean vector is taken with that of the text itself: the heads learned from captions, and a single word that many of them hold, such as
 * "dog", is hardly similar to any image, while "a dog in the picture" is. As for CLIP (Radford et al. 2021, 3.1.4). Four runs in place of one.
 */
const frames = [
  (text: string) => `a ${text}`,
  (text: string) => `a photo of a ${text}`,
  (text: string) => `a ${text} in the picture`,
];

/** A text of more words that describe something, or with an article, reads like a caption by itself. */
const maxFramedWords = 3;
const isCaption = (text: string, contentCount: number): boolean =>
  contentCount > maxFramedWords || /^\s*(?:an?|the)\s/i.test(text);

/** The vectors of a text, of unit length: in the space of images, and MiniLM's own in the space of sentences. Null when none of its words can be read. */
type SemanticText = { vector: Float32Array | null; sentence: Float32Array | null } & Pick<
  ReadText,
  'readable' | 'unknown'
>;

type TextTower = {
  /** Embeds a query, in both spaces. */
  embedQuery: (text: string) => Promise<SemanticText>;
  /** Embeds a passage of a text in the space of sentences alone. Unit length; null when none of its words can be read. */
  embedPassage: (text: string) => Promise<Float32Array | null>;
};

/** The folder of the weights that come with the service. */
export const weightsFolder = fileURLToPath(new URL('./weights', import.meta.url));

/** The text tower that comes with the service, loaded once for the process. */
export const builtinTextTower = once(() => loadTextTower(weightsFolder));

/**
 * Loads the text tower of a folder (`text.onnx`, `tokenizer.json`). ONNX Runtime holds up its thread for two milliseconds a text, and for as
 * many as 600 when it loads. Throws `ModelError`.
 */
export async function loadTextTower(folder: string): Promise<TextTower> {
  const { run, Tensor } = await openSession(path.join(folder, 'text.onnx'), 1, ['embedding', 'sentence']);
  const readWords = createWordReader(await readTokenizer(path.join(folder, 'tokenizer.json')));
  const embed = async (
    pieces: number[],
    most = maxPieces,
  ): Promise<{ vector: Float32Array; sentence: Float32Array }> => {
    const used = pieces.length <= most ? pieces : [...pieces.slice(0, most - 1), pieces.at(-1) as number];
    const ids: Tensor = new Tensor('int64', BigInt64Array.from(used, BigInt), [1, used.length]);
    const { embedding, sentence } = await run({ input_ids: ids });
    return { vector: embedding, sentence: toUnit(sentence) };
  };
  return {
    async embedQuery(text) {
      const { pieces, contentCount, ...read } = readWords(text);
      if (pieces.length === 0) return { vector: null, sentence: null, ...read };
      const plain = await embed(pieces);
      if (isCaption(read.readable, contentCount)) return { ...plain, ...read };
      const framed = [plain.vector];
      for (const frame of frames) framed.push((await embed(readWords(frame(read.readable.trim())).pieces)).vector);
      return { vector: meanDirection(framed), sentence: plain.sentence, ...read };
    },
    async embedPassage(text) {
      const { pieces } = readWords(text);
      return pieces.length === 0 ? null : (await embed(pieces, maxPassagePieces)).sentence;
    },
  };
}

async function readTokenizer(file: string): Promise<PieceTokenizer> {
  try {
    return new Tokenizer(JSON.parse(await readFile(file, 'utf8')) as object, {}) as PieceTokenizer;
  } catch (error) {
    throw new ModelError('The weights tokenizer.json of the built-in embedder cannot be loaded.', { cause: error });
  }
}
