/**
 * Corrects characters that look like another in words: a zero among letters is an O (`0ver`, `ro0m`), a small L among capitals an I
 * (`DESlGN`). The recogniser sees shapes scaled to one height, and cannot know. Words with other digits stay as they are.
 */
export const repairLookalikes = (text: string): string =>
  text.replaceAll(/(?<![\p{L}\p{N}])[\p{Script=Latin}0]{4,}(?![\p{L}\p{N}])/gu, (word) => {
    const letters = word.replaceAll('0', '');
    if (letters.length < 3) return word;
    const capitals = letters.match(/\p{Lu}/gu)?.length ?? 0;
    const isUpperCase = capitals >= letters.length - 1;
    const repaired = word.replaceAll('0', (_, at: number) => (isUpperCase || at === 0 ? 'O' : 'o'));
    return isUpperCase ? repaired.replaceAll('l', 'I') : repaired;
  });
