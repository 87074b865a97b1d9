import type { ItemForIndex } from '../builder/index-source.ts';

/**
 * What filters compare of an item and does not fit into 32 bits. It is written as a record into memory that only grows, and is never changed; the
 * item then gets the place of the new record by a single write. So a search reads the record of before or the one of after, each whole.
 */

/** Filters of which an item has any number of values. */
export const listNames = ['collection_id', 'tag_id'] as const;
export type ListName = (typeof listNames)[number];

/** The records of an item. */
export const recordNames = [...listNames, 'taken'] as const;
export type RecordName = (typeof recordNames)[number];

/** Words (Int32) of the record of a time: the moment, then the clock where the item was recorded. */
const takenWords = 4;

/** A time in milliseconds since 1970 as two words. */
const wordsOfTime = (ms: number): [number, number] => [Math.floor(ms / 2 ** 32), ms | 0];

const timeAt = (records: Int32Array, at: number): number =>
  (records[at] as number) * 2 ** 32 + ((records[at + 1] as number) >>> 0);

/**
 * The words of each record of an item; none where there is nothing to record.
 * @param placeOf the place of a value in the label values of the index
 */
export function toRecords(item: ItemForIndex, placeOf: (value: string) => number): Record<RecordName, number[]> {
  const { taken_at, taken_local } = item;
  const list = (ids: string[]) => (ids.length === 0 ? [] : [ids.length, ...ids.map(placeOf)]);
  return {
    collection_id: list(item.collection_ids),
    tag_id: list(item.tag_ids),
    taken:
      taken_at === null || taken_local === null
        ? []
        : [...wordsOfTime(Date.parse(taken_at)), ...wordsOfTime(Date.parse(`${taken_local}Z`))],
  };
}

/** How many words the record at a place has. Place 0 stands for none. */
export const countWords = (records: Int32Array, name: RecordName, place: number): number =>
  place === 0 ? 0 : name === 'taken' ? takenWords : 1 + (records[place] as number);

/** Whether the list at a place holds a label. */
export function holdsLabel(records: Int32Array, place: number, label: number): boolean {
  if (place === 0) return false;
  const end = place + (records[place] as number);
  for (let at = place + 1; at <= end; at++) if (records[at] === label) return true;
  return false;
}

/** Whether the list at a place holds a label that is marked. */
export function holdsMarked(records: Int32Array, place: number, marks: Uint8Array): boolean {
  if (place === 0) return false;
  const end = place + (records[place] as number);
  for (let at = place + 1; at <= end; at++) if (marks[records[at] as number] === 1) return true;
  return false;
}

/** One end of a range of time. `local`: of the clock where items were recorded. */
export type TimeBound = { ms: number; local: boolean };

/** The time at a place; NaN where there is none: it is neither before nor after any other. */
export const readTaken = (records: Int32Array, place: number, { local }: TimeBound): number =>
  place === 0 ? Number.NaN : timeAt(records, local ? place + 2 : place);
