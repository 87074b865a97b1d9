import { stemmer } from 'stemmer';
import { foldHan } from './han-variants.ts';

/** A word of a text: as it is compared, and where it stands, in code units. */
export type Word = { token: string; start: number; end: number };

/** Words are cut at this many code units. Longer ones are no words, and some regular expressions and normal forms take quadratic time. */
const maxWordLength = 64;
/** Texts are analysed in pieces of this many code units, so that none takes long. */
const pieceLength = 8192;

const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
/** Letters of scripts that put no spaces between words. */
const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const unspacedLetter = new RegExp(`[${unspacedScripts}]`, 'u');
/** Parts of a Japanese or Chinese word that are words themselves: 東京 and タワー in 東京タワー. */
const scriptRun = /\p{Script=Han}+|[\p{Script=Katakana}ー]+/gu;
/** Shorter words are seldom parted, and then wrongly. */
const longHanWord = /^[\u3400-\u9fff]{3,}$/;
/** Segmentation of words does not depend on the locale: all dictionaries are always used. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The words of a text, in order: letters, digits and marks that follow each other; what Unicode's dictionaries find where a script puts no
 * spaces between words.
 * @see https://www.unicode.org/reports/tr29/#Word_Boundaries
 */
export function* findWords(text: string): Generator<Word> {
  for (const { piece, start } of cutIntoPieces(text)) {
    for (const match of piece.matchAll(wordPattern)) {
      const [word] = match;
      const at = start + match.index;
      if (isAscii(word) || !unspacedLetter.test(word)) yield toWord(word, at);
      else yield* segment(word, at);
    }
  }
}

/** The same as a list. Most texts are ASCII and short, and their words are found by a look at each letter. */
export function listWords(text: string): Word[] {
  if (text.length > pieceLength || !isAscii(text)) return [...findWords(text)];
  const lower = text.toLowerCase();
  const words: Word[] = [];
  let start = -1;
  for (let i = 0; i <= lower.length; i++) {
    const code = i < lower.length ? lower.charCodeAt(i) : 0;
    const isLetter = (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    if (isLetter && start < 0) start = i;
    if (isLetter || start < 0) continue;
    words.push({ token: lower.slice(start, Math.min(i, start + maxWordLength)), start, end: i });
    start = -1;
  }
  return words;
}

function* segment(run: string, start: number): Generator<Word> {
  const found = Array.from(segmenter.segment(run)).filter(({ isWordLike }) => isWordLike !== false);
  const parted = partAsSimplified(found.map(({ segment: word }) => word));
  for (const { segment: word, index } of found) {
    let at = start + index;
    for (const part of parted.get(word) ?? [word]) {
      yield toWord(part, at);
      at += part.length;
    }
  }
}

/** The parts of words that the dictionary knows in traditional or Japanese characters, and parts in simplified ones: 圖書館, but 图书 and 馆. */
function partAsSimplified(words: string[]): Map<string, string[]> {
  const whole = [...new Set(words)].filter((word) => longHanWord.test(word) && foldHan(word) !== word);
  if (whole.length === 0) return new Map();
  const parts: string[][] = [[]];
  // All at once: the segmenter takes as long to begin as for a hundred characters.
  for (const { segment: part } of segmenter.segment(foldHan(whole.join(' ')))) {
    if (part === ' ') parts.push([]);
    else parts.at(-1)?.push(part);
  }
  return new Map(whole.map((word, i) => [word, parts[i] ?? [word]]));
}

const toWord = (word: string, start: number): Word => ({ token: fold(word), start, end: start + word.length });

/** The pieces of a text that are analysed one by one; long texts are cut between words where they can be. */
function* cutIntoPieces(text: string): Generator<{ piece: string; start: number }> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + pieceLength);
    if (end < text.length) {
      const space = text.lastIndexOf(' ', end);
      if (space > start) end = space;
      else if (isHighSurrogate(text, end - 1)) end--;
    }
    yield { piece: text.slice(start, end), start };
    start = end;
  }
}

/** The words of a text as they are compared, in order. */
export function* wordsOf(text: string): Generator<string> {
  if (!isAscii(text)) {
    for (const { token } of findWords(text)) yield token;
    return;
  }
  for (const { piece } of cutIntoPieces(text)) {
    for (const word of piece.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
      yield word.length > maxWordLength ? word.slice(0, maxWordLength) : word;
    }
  }
}

/** The tokens of a text by which it is found: its words, and the parts of words of several scripts. */
export function* tokensOf(text: string): Generator<string> {
  for (const token of wordsOf(text)) {
    yield token;
    for (const part of partsOf(token)) yield part.token;
  }
}

/** The parts of a word in Chinese or Japanese letters that are found by themselves, when it has others as well. */
export function partsOf(token: string): Word[] {
  if (isAscii(token) || !unspacedLetter.test(token)) return [];
  const parts = [...token.matchAll(scriptRun)];
  return parts.flatMap(({ 0: part, index }) =>
    part === token ? [] : [{ token: part, start: index, end: index + part.length }],
  );
}

/**
 * A word as it is compared: compatible forms alike, lower case, Latin, Greek and Cyrillic letters without diacritics, Chinese
 * characters in their simplified form. Marks of other scripts are letters of their own: か and が, क and कि differ.
 */
export function fold(word: string): string {
  if (isAscii(word)) return word.slice(0, maxWordLength).toLowerCase();
  const folded = cutWord(word)
    // Ordering many marks of one letter takes quadratic time.
    .replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .normalize('NFC')
    .replaceAll(/[ßæœøłđıς]/g, (letter) => plainLetters[letter] ?? letter);
  return cutWord(foldHan(folded));
}

/** Letters that no normal form takes apart. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
};

/** How often letters and digits change places in a word. */
const countChanges = (word: string): number =>
  (word.match(/(?<=\p{N})(?=\p{L})|(?<=\p{L}\p{M}*)(?=\p{N})/gu) ?? []).length;

/**
 * Whether a token is a name that a program made of hexadecimal digits, such as a checksum: letters and digits change places twice or more in it, at
 * six characters or more. The letters between its digits are no words.
 */
const isIdentifier = (token: string): boolean => /^[0-9a-f]{6,}$/.test(token) && countChanges(token) >= 2;

/** Whether a typed prefix may mean a token. The beginning of an identifier has a digit of it. */
export const mayContinue = (prefix: string, token: string): boolean =>
  token.startsWith(prefix) && !(/^[a-f]+$/.test(prefix) && isIdentifier(token));

/** What all forms of an English word have in common (Porter 1980); other words as they are. */
export const stemOf = (token: string): string => (/^[a-z]{3,}$/.test(token) ? stemmer(token) : token);

/** Whether a token has a stem. Most are told by their first letter, which stays. */
export const hasStem = (token: string | undefined, stem: string): boolean =>
  token !== undefined && token.charCodeAt(0) === stem.charCodeAt(0) && stemOf(token) === stem;

export const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);

const isHighSurrogate = (text: string, i: number): boolean => (text.charCodeAt(i) & 0xfc00) === 0xd800;

/** The start of a word, not longer than allowed, that ends with a whole character. */
function cutWord(word: string): string {
  if (word.length <= maxWordLength) return word;
  return word.slice(0, isHighSurrogate(word, maxWordLength - 1) ? maxWordLength - 1 : maxWordLength);
}

/** Longer file names are cut. */
const maxFilenameLength = 1024;
/** The text form of RFC 9562. */
const uuidPattern = /(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi;
const uuidLength = 36;

/**
 * The words of a file name without its extension, as people write them (`pieces`: `holidayParis`, `東京タワー`), the smaller words in
 * them (`subwords`: `holiday`, `Paris`; a name that a program made, `2752da3a0f` or `dQw4w9WgXcQ`, has none), and pieces that only `_`, `-` or `.` separate as one
 * word (`runs`: `IMG_2041` as `img2041`). Each has its place in the file name.
 */
export type FilenameWords = { pieces: Word[]; subwords: Word[]; runs: Word[] };

export function analyseFilename(filename: string): FilenameWords {
  const name = filename.slice(0, maxFilenameLength).replace(/(?<=.)\.[\p{L}\p{N}]{1,8}$/u, '');
  const words: FilenameWords = { pieces: [], subwords: [], runs: [] };
  for (const { 0: run, index } of name.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]*/gu)) {
    const pieces = [...findWords(run)].map((word) => moveBy(word, index));
    words.pieces.push(...pieces);
    const uuids = [...run.matchAll(uuidPattern)].map((uuid) => index + uuid.index);
    const isNamed = ({ token, start }: Word) =>
      isIdentifier(token) || uuids.some((uuid) => start >= uuid && start < uuid + uuidLength);
    words.subwords.push(...pieces.flatMap((piece) => (isNamed(piece) ? [piece] : splitPiece(name, piece))));
    const [first] = pieces;
    const last = pieces.at(-1);
    if (first && last && pieces.length > 1) {
      const token = pieces.map((piece) => piece.token).join('');
      words.runs.push({ token: cutWord(token), start: first.start, end: last.end });
    }
  }
  return words;
}

const moveBy = ({ token, start, end }: Word, by: number): Word => ({ token, start: start + by, end: end + by });

/** Splits at the borders of letters and digits, and before capitals; the piece itself where there are none. */
function splitPiece(name: string, piece: Word): Word[] {
  const parts = partsOf(piece.token);
  if (parts.length > 0) return parts.map((part) => moveBy(part, piece.start));
  const subwords: Word[] = [];
  const borders =
    /(?<=\p{Ll}\p{M}*)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L}\p{M}*)(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
  let start = piece.start;
  for (const word of name.slice(piece.start, piece.end).split(borders)) {
    for (const { token } of findWords(word)) subwords.push({ token, start, end: start + word.length });
    start += word.length;
  }
  return withoutFragments(piece, subwords);
}

/** Shorter parts that stand between letters and digits are no words. */
const shortestPart = 3;
/** As many parts, none with more letters than `mostLetters`, make a name of eight characters that a program drew (base 64, base 36). */
const drawn = { parts: 5, mostLetters: 3, length: 8 };

/**
 * The parts of a piece that may be words. `52` and `da` in `52da3a0g` are none: “das” has the same stem. Where letters and digits change places once
 * (`take2`), the number is one. The piece itself where no part is left.
 */
function withoutFragments(piece: Word, parts: Word[]): Word[] {
  const changes = countChanges(piece.token);
  if (changes === 0) return parts;
  const isNumber = ({ token }: Word) => /^\p{N}/u.test(token);
  const isDrawn =
    piece.token.length >= drawn.length &&
    parts.length >= drawn.parts &&
    parts.every((part) => isNumber(part) || part.token.length <= drawn.mostLetters);
  const words = parts.filter(
    (part) => !isDrawn && (part.token.length >= shortestPart || (changes === 1 && isNumber(part))),
  );
  return words.length > 0 ? words : [piece];
}

/** The tokens of a file name by which it is found, each once a place. */
export function filenameTokens(filename: string): string[] {
  const { pieces, subwords, runs } = analyseFilename(filename);
  const split = new Set(subwords.map(({ start, end }) => `${start} ${end}`));
  const whole = pieces.filter(({ start, end }) => !split.has(`${start} ${end}`));
  return [...subwords, ...whole, ...runs].map(({ token }) => token);
}
