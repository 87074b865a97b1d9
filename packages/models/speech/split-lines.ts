/** A word on the item's clock, seconds; the text with the space before it. */
export type LineWord = { text: string; start: number; end: number };

/** What is shown as one subtitle. */
export type Line<Word extends LineWord = LineWord> = { text: string; start: number; end: number; words: Word[] };

/** Two rows of 42 letters for at most seven seconds, as subtitles usually have (Netflix' and the BBC's guidelines). */
const maxWidth = 84;
const maxSeconds = 7;
/** A pause this long between two words begins another line, seconds. */
const longPause = 0.8;

const endsSentence = /[.!?…。！？؟।]["'”’»)\]]*$/u;
const endsPart = /[,;:،、，；：–—]["'”’»)\]]*$/u;
const wide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;

/** How wide a text is, in Latin letters. */
const widthOf = (text: string): number => text.length + (text.match(wide)?.length ?? 0);

/** Makes lines of words: one for each sentence, and several of a long one, at its commas or in equal parts. */
export function splitLines<Word extends LineWord>(words: readonly Word[]): Line<Word>[] {
  const sentences: Word[][] = [];
  for (const [i, word] of words.entries()) {
    const before = words[i - 1];
    if (!before || endsSentence.test(before.text) || word.start - before.end > longPause) sentences.push([]);
    sentences.at(-1)?.push(word);
  }
  return sentences.flatMap((sentence) => splitSentence(sentence).map(toLine)).filter(({ text }) => text !== '');
}

function splitSentence<Word extends LineWord>(words: Word[]): Word[][] {
  const { text, start, end } = toLine(words);
  const width = widthOf(text);
  if (words.length < 2 || (width <= maxWidth && end - start <= maxSeconds)) return [words];
  // The best place to part it: near the middle, better after a comma or where the speaker breathes.
  let passed = 0;
  const places = words.slice(0, -1).map((word, i) => {
    passed += widthOf(word.text);
    const breath = (words[i + 1]?.start ?? word.end) - word.end;
    const comma = endsPart.test(word.text) ? 0.25 : 0;
    return { at: i + 1, cost: Math.abs(passed / width - 0.5) - comma - Math.min(breath, 0.5) / 2 };
  });
  const { at } = places.reduce((best, place) => (place.cost < best.cost ? place : best));
  return [...splitSentence(words.slice(0, at)), ...splitSentence(words.slice(at))];
}

const toLine = <Word extends LineWord>(words: Word[]): Line<Word> => ({
  text: words
    .map(({ text }) => text)
    .join('')
    .trim(),
  start: words[0]?.start ?? 0,
  end: words.at(-1)?.end ?? 0,
  words,
});
