import type { TextBox } from '@media-search/media/extracted-text';
import { editDistance } from '@media-search/search-engine/spelling/edit-distance';
import type { ReadLine } from './read-lines.ts';

/** What a line of text is compared by. */
export type PlacedText = Pick<ReadLine, 'text' | 'box'>;

/** From this on two readings are of one text. */
const minSimilarity = 0.85;
/** The share of the smaller of two boxes that lies in the other. */
const minOverlap = 0.5;
/** By how much the height of a line that moves may differ between two readings. */
const maxHeightRatio = 1.3;
/** By how much a line that scrolls may leave its row or column, in heights of it. */
const maxDrift = 1;

/**
 * Finds for each line that was read the line that it continues: of like text, and at its place or, where none is, moved along a row or
 * column of the picture. Each continues one at most, the likeliest first.
 * @param lines as read now
 * @param tracks lines that were seen before, where they are by now
 * @returns for each line the index of its track, or null
 */
export function matchLines(lines: PlacedText[], tracks: PlacedText[]): (number | null)[] {
  const pairs: { line: number; track: number; rank: number }[] = [];
  for (const [i, line] of lines.entries()) {
    for (const [j, track] of tracks.entries()) {
      const similarity = textSimilarity(line.text, track.text);
      if (similarity < minSimilarity) continue;
      const overlap = boxOverlap(line.box, track.box);
      if (overlap >= minOverlap) pairs.push({ line: i, track: j, rank: 1 + similarity + overlap });
      else if (mayHaveMoved(track.box, line.box)) pairs.push({ line: i, track: j, rank: similarity });
    }
  }
  const matches = lines.map((): number | null => null);
  const taken = new Set<number>();
  for (const { line, track } of pairs.sort((a, b) => b.rank - a.rank)) {
    if (matches[line] !== null || taken.has(track)) continue;
    matches[line] = track;
    taken.add(track);
  }
  return matches;
}

/**
 * How alike two texts are: 1 less the edit distance, divided by the longer length; 0 where that is less than
 * `minSimilarity`. Case and spaces do not count.
 */
export function textSimilarity(one: string, other: string): number {
  const [a, b] = [toComparable(one), toComparable(other)];
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  const distance = editDistance(a, b, Math.floor((1 - minSimilarity) * longest));
  return distance === null ? 0 : 1 - distance / longest;
}

/** The longest text that is compared: what lies beyond decides nothing. */
const maxComparedLength = 200;

const toComparable = (text: string): string => text.replaceAll(' ', '').toLowerCase().slice(0, maxComparedLength);

/** The share of the smaller box that lies in the other, 0..1. */
export function boxOverlap(a: TextBox, b: TextBox): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const smaller = Math.min(a.width * a.height, b.width * b.height);
  return width > 0 && height > 0 && smaller > 0 ? (width * height) / smaller : 0;
}

/** Whether one box is the other after some time of scrolling. */
function mayHaveMoved(from: TextBox, to: TextBox): boolean {
  const height = Math.max(from.height, to.height);
  if (height > maxHeightRatio * Math.min(from.height, to.height)) return false;
  const across = Math.abs(from.x + from.width / 2 - to.x - to.width / 2);
  const down = Math.abs(from.y + from.height / 2 - to.y - to.height / 2);
  return Math.min(across, down) <= maxDrift * height;
}
