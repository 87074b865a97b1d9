/** A word with what goes before it (a space, as the model writes it) and its punctuation. */
export type TimedWord = {
  text: string;
  /** Seconds from the start of the window. */
  start: number;
  end: number;
  /** The mean of the natural logarithms of the probabilities of its tokens. */
  logProbability: number;
};

/** Punctuation belongs to the word before it, unless it opens something. */
const punctuation = /^(?! ["'“‘«([])\s*[\p{P}\p{S}]+$/u;
/** A letter of a script that is written without spaces is a word of its own here. */
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * Joins tokens to words. A token may be a part of a letter.
 * @param starts when each token starts, and when the last one ends, seconds
 * @param decode the text of tokens; a part of a letter is U+FFFD
 */
export function groupWords(
  tokens: readonly number[],
  starts: readonly number[],
  logProbabilities: readonly number[],
  decode: (tokens: number[]) => string,
): TimedWord[] {
  const words: (TimedWord & { count: number })[] = [];
  let pending: number[] = [];
  for (const [i, token] of tokens.entries()) {
    pending.push(token);
    const text = decode(pending);
    // A text that really holds a replacement character would never end.
    if (text.endsWith('\uFFFD') && pending.length < 4 && i < tokens.length - 1) continue;
    const first = i + 1 - pending.length;
    const start = starts[first] ?? 0;
    const end = starts[i + 1] ?? start;
    const sum = logProbabilities.slice(first, i + 1).reduce((total, value) => total + value, 0);
    const last = words.at(-1);
    if (last && (punctuation.test(text) || !(text.startsWith(' ') || unspaced.test(text)))) {
      last.text += text;
      // The pause after a sentence is part of its full stop.
      if (!punctuation.test(text)) last.end = end;
      last.logProbability += sum;
      last.count += pending.length;
    } else {
      words.push({ text, start, end, logProbability: sum, count: pending.length });
    }
    pending = [];
  }
  return words.map(({ count, ...word }) => ({ ...word, logProbability: word.logProbability / count }));
}
