/** Numbers as people write them in words. */
const words: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  hundred: 100,
};

/** A number in words or digits, as the source of a regular expression. */
export const numberSource = String.raw`(?:\d{1,6}(?:[.,]\d{1,2})?|${Object.keys(words)
  .toSorted((a, b) => b.length - a.length)
  .join('|')})`;

/** The value of what `numberSource` matches. */
export const toNumber = (text: string): number => words[text.toLowerCase()] ?? Number(text.replace(',', '.'));
