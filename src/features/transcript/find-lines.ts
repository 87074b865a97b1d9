/** A text as words are compared: without case and accents. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLocaleLowerCase();

const wordsOf = (query: string): string[] => query.split(/\s+/).filter((word) => word !== '');

/** The places of the lines that hold every word of a query, or its beginning; all without a query. */
export function findLines(lines: readonly { text: string }[], query: string): number[] {
  const words = wordsOf(fold(query));
  return lines.flatMap(({ text }, place) => {
    if (words.length === 0) return [place];
    const folded = fold(text);
    return words.every((word) => folded.includes(word)) ? [place] : [];
  });
}

/** A text cut where words of a query begin and end in it. What differs from them by an accent is not marked. */
export function markWords(text: string, query: string): { text: string; matched: boolean }[] {
  const words = wordsOf(query).map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  if (words.length === 0) return [{ text, matched: false }];
  return text
    .split(new RegExp(`(${words.join('|')})`, 'giu'))
    .map((part, i) => ({ text: part, matched: i % 2 === 1 }))
    .filter((part) => part.text !== '');
}
