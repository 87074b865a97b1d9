/**
 * Labels of which an item has any number, such as tags. They are written as a list into memory that only grows, and never changed; the item then gets
 * the place of the new list by a single write. So a search reads the list of before or the one of after, each whole.
 */

/** The words (Int32) of a list of labels, by their places in the label values of the index: its length, then the labels. An empty list has none. */
export const toList = (labels: number[]): number[] => (labels.length === 0 ? [] : [labels.length, ...labels]);

/** How many words the list at a place has. Place 0 stands for none. */
export const countWords = (lists: Int32Array, place: number): number =>
  place === 0 ? 0 : 1 + (lists[place] as number);

/** Whether the list at a place holds a label. */
export function holdsLabel(lists: Int32Array, place: number, label: number): boolean {
  if (place === 0) return false;
  const end = place + (lists[place] as number);
  for (let at = place + 1; at <= end; at++) if (lists[at] === label) return true;
  return false;
}

/** Whether the list at a place holds a label that is marked. */
export function holdsMarked(lists: Int32Array, place: number, marks: Uint8Array): boolean {
  if (place === 0) return false;
  const end = place + (lists[place] as number);
  for (let at = place + 1; at <= end; at++) if (marks[lists[at] as number] === 1) return true;
  return false;
}
