import type { Box } from './drawn-images.ts';

/** Comparing words that were read with those that were drawn. */

export type ReadText = { text: string; box: Box | null };

/** Without case and punctuation: what a search compares. */
export const normalise = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

export const toWords = (text: string): string[] => text.split(/\s+/).map(normalise).filter(Boolean);

/** Whether the middle of a word lies in a box, with a margin of a fifth of the box's height for rotated lines. */
export function holds(outer: Box | null, inner: Box): boolean {
  if (!outer) return false;
  const [x, y] = [inner.x + inner.width / 2, inner.y + inner.height / 2];
  const margin = outer.height / 5;
  const across = x >= outer.x - margin && x <= outer.x + outer.width + margin;
  return across && y >= outer.y - margin && y <= outer.y + outer.height + margin;
}

/**
 * Which of the words that were drawn were read, each once, in a box that holds it.
 * @returns for each drawn word whether it was found, and the words that were read and match none
 */
export function matchWords(
  drawn: { text: string; box: Box }[],
  read: ReadText[],
): { found: boolean[]; wrong: string[] } {
  const found = drawn.map(() => false);
  const wrong: string[] = [];
  for (const { text, box } of read) {
    for (const word of toWords(text)) {
      const at = drawn.findIndex((each, i) => !found[i] && normalise(each.text) === word && holds(box, each.box));
      if (at === -1) wrong.push(word);
      else found[at] = true;
    }
  }
  return { found, wrong };
}
