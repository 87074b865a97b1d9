import type { Piece } from './cut-words.ts';

type Place = { start: number; end: number };

/**
 * Joins the letters of words that the lexicon lacks, which were read one by one: 旗袍 is no flag. Unicode's dictionaries or unknown letters beside them show that they
 * are one word.
 * @param pieces of letters that follow each other
 * @param words as Unicode's dictionaries part them
 */
export function joinPieces(pieces: Piece[], words: Place[]): Piece[] {
  const joined: Piece[] = [];
  for (let i = 0; i < pieces.length;) {
    const count = Math.max(1, countOfWord(pieces, i, words), countUnknown(pieces, i));
    const some = pieces.slice(i, i + count);
    const [first] = some;
    const last = some.at(-1);
    if (!first || !last) break;
    const { start } = first;
    joined.push(
      count === 1 ? first : { text: some.map(({ text }) => text).join(''), start, end: last.end, kind: 'unknown' },
    );
    i += count;
  }
  return joined;
}

const isHan = ({ text }: Piece): boolean => /^\p{Script=Han}$/u.test(text);
const hasHanOnly = ({ text }: Piece): boolean => /^\p{Script=Han}+$/u.test(text);
const isKana = ({ text }: Piece): boolean => /^\p{Script=Hiragana}+$/u.test(text);
const classOf = (piece: Piece | undefined) =>
  piece?.kind === 'meaning' ? piece.meaning.meanings[0]?.wordClass : undefined;

/** How many pieces from a place on are the single characters of one word; 0 where they are words themselves, such as 白马 and 骑马. */
function countOfWord(pieces: Piece[], at: number, words: Place[]): number {
  const word = words.find(({ start }) => start === pieces[at]?.start);
  if (!word) return 0;
  const some = pieces.slice(at).filter(({ start }) => start < word.end);
  const isOne =
    some.length > 1 &&
    some.at(-1)?.end === word.end &&
    some.every((piece) => isHan(piece) && piece.kind !== 'function');
  const isPair =
    some.length === 2 &&
    ['adjective', 'verb'].includes(classOf(some[0]) ?? '') &&
    classOf(some[1]) === 'noun' &&
    some.every((piece) => piece.kind === 'meaning' && piece.meaning.frequency > 0);
  return isOne && !isPair ? some.length : 0;
}

/** How many pieces from a place on are one unknown word. */
const countUnknown = (pieces: Piece[], at: number): number =>
  pieces[at] && isKana(pieces[at]) ? countKana(pieces, at) : countHan(pieces, at);

/** Unknown characters, with nouns of one character before them, and any behind them: 螺蛳粉 is no powder. */
function countHan(pieces: Piece[], at: number): number {
  let isUnknown = false;
  let end = at;
  for (; end < pieces.length; end++) {
    const piece = pieces[end] as Piece;
    const isHanUnknown = piece.kind === 'unknown' && hasHanOnly(piece);
    const isPart = isHan(piece) && (isUnknown ? piece.kind === 'meaning' : classOf(piece) === 'noun');
    if (!isHanUnknown && !isPart) break;
    isUnknown ||= isHanUnknown;
  }
  return isUnknown ? end - at : 0;
}

/** Unknown hiragana, with letters before them that would be particles, were there a word that they follow: the て and へ of 花とてへぺろ. */
function countKana(pieces: Piece[], at: number): number {
  const [before, first] = [pieces[at - 1], pieces[at]];
  if (first?.kind !== 'unknown' && before !== undefined && !isKana(before)) return 0;
  let [end, isUnknown] = [at, false];
  for (let i = at; i < pieces.length; i++) {
    const piece = pieces[i] as Piece;
    if (!isKana(piece) || (piece.kind !== 'unknown' && piece.text.length > 1)) break;
    if (piece.kind !== 'unknown') continue;
    // Particles behind it are no part of it.
    [end, isUnknown] = [i + 1, true];
  }
  return isUnknown ? end - at : 0;
}
