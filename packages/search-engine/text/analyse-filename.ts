import { cutWord, findWords, isIdentifier, partsOf, type Word } from './analyse-text.ts';

/** Longer file names are cut. */
const maxLength = 1024;
/** The text form of RFC 9562. */
const uuidPattern = /(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi;
const uuidLength = 36;

/**
 * The words of a file name without its extension, as people write them (`pieces`: `holidayParis`, `東京タワー`), the smaller words in
 * them (`subwords`: `holiday`, `Paris`; a name that a program made, `2752da3a0f`, has none), and pieces that only `_`, `-` or `.` separate as one
 * word (`runs`: `IMG_2041` as `img2041`). Each has its place in the file name.
 */
export type FilenameWords = { pieces: Word[]; subwords: Word[]; runs: Word[] };

export function analyseFilename(filename: string): FilenameWords {
  const name = filename.slice(0, maxLength).replace(/(?<=.)\.[\p{L}\p{N}]{1,8}$/u, '');
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
  return subwords;
}

/** The tokens of a file name by which it is found, each once a place. */
export function filenameTokens(filename: string): string[] {
  const { pieces, subwords, runs } = analyseFilename(filename);
  const split = new Set(subwords.map(({ start, end }) => `${start} ${end}`));
  const whole = pieces.filter(({ start, end }) => !split.has(`${start} ${end}`));
  return [...subwords, ...whole, ...runs].map(({ token }) => token);
}
