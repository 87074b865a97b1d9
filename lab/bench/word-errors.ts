/** Word error rate: substitutions, deletions and insertions over the words that were said. */

export type TimedWord = { text: string; start: number; end: number };
/** Pairs of places in what was said and what was written that are the same word, in order, and the errors. */
export type Alignment = { errors: number; pairs: { said: number; written: number }[] };

const small = [
  'zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen',
  'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen',
]; // prettier-ignore
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
/** Spellings and short forms that say the same. */
const same: Record<string, string> = {
  mr: 'mister',
  mrs: 'missus',
  dr: 'doctor',
  colour: 'color',
  flavour: 'flavor',
  harbour: 'harbor',
  ok: 'okay',
  centred: 'centered',
  endeavouring: 'endeavoring',
  grey: 'gray',
  et: 'etcetera',
  etc: 'etcetera',
};

function sayNumber(digits: string): string[] {
  const value = Number(digits);
  if (!/^\d{1,4}$/.test(digits)) return [digits];
  if (value < 20) return [small[value] as string];
  if (value < 100)
    return [tens[Math.floor(value / 10)] as string, ...(value % 10 > 0 ? sayNumber(String(value % 10)) : [])];
  if (value < 1000) {
    return [
      small[Math.floor(value / 100)] as string,
      'hundred',
      ...(value % 100 > 0 ? sayNumber(String(value % 100)) : []),
    ];
  }
  // As years are said.
  return [
    ...sayNumber(String(Math.floor(value / 100))),
    ...(value % 100 > 0 ? sayNumber(String(value % 100)) : ['hundred']),
  ];
}

/**
 * Without case, punctuation, hyphens and apostrophes; English numbers as words; Chinese and Japanese by character.
 * @param language BCP 47
 */
export function toSpokenWords(text: string, language: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(/['’]/g, '');
  const words = plain.split(/[^\p{L}\p{N}\p{M}]+/u).filter(Boolean);
  if (/^(zh|ja)/.test(language)) return words.flatMap((word) => Array.from(word));
  if (!language.startsWith('en')) return words;
  return words.flatMap((word) => (/^\d+$/.test(word) ? sayNumber(word) : [same[word] ?? word]));
}

/** The alignment with the fewest errors (Levenshtein, 1966). */
export function align(said: string[], written: string[]): Alignment {
  const columns = written.length + 1;
  const cost = new Uint32Array((said.length + 1) * columns);
  for (let i = 0; i <= said.length; i++) {
    for (let j = 0; j <= written.length; j++) {
      if (i === 0 || j === 0) {
        cost[i * columns + j] = i + j;
        continue;
      }
      const swap = cost[(i - 1) * columns + j - 1]! + (said[i - 1] === written[j - 1] ? 0 : 1);
      cost[i * columns + j] = Math.min(swap, cost[(i - 1) * columns + j]! + 1, cost[i * columns + j - 1]! + 1);
    }
  }
  const pairs: Alignment['pairs'] = [];
  for (let [i, j] = [said.length, written.length]; i > 0 && j > 0;) {
    const here = cost[i * columns + j]!;
    const isSame = said[i - 1] === written[j - 1];
    if (here === cost[(i - 1) * columns + j - 1]! + (isSame ? 0 : 1)) {
      if (isSame) pairs.push({ said: i - 1, written: j - 1 });
      i--;
      j--;
    } else if (here === cost[(i - 1) * columns + j]! + 1) i--;
    else j--;
  }
  return { errors: cost.at(-1)!, pairs: pairs.toReversed() };
}
