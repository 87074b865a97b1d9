import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGraphWriter } from '../graph/link-slot.ts';
import { readLinked } from '../index/index-memory.ts';
import { isIn } from '../index/slot-set.ts';
import { mergeTextSegments } from '../text/merge-segments.ts';
import { builderThread } from './builder-thread-number.ts';
import type { BuiltIndex } from './built-index.ts';
import { inSteps } from './follow-source.ts';
import { isWorthThreads, type Linked, linkInParallel } from './link-in-parallel.ts';

/** What makes an index faster, smaller or safe, the most urgent first: nothing that a search has to wait for. */
export type Improvement = 'rebuild' | 'link' | 'merge' | 'save';

/** How long the graph grows before other work of the thread has its turn, in milliseconds. */
const sliceMs = 4;
/** Fewer slots than this are compared one by one as quickly as through a graph. */
const minGraphSlots = 6000;
/** With so many changes and new links, or this share of all slots, an index is saved; fewer are read again from the catalog after a crash. */
const saveAfter = { count: 5000, share: 0.01 };
/** From this share of deleted slots on an index is built again without them. */
const maxDeletedShare = 0.25;
const minDeleted = 5000;
/** Likewise from so many unused words of records on, when they are half of all. */
const maxUnusedWords = 2 ** 22;
/** A text segment is merged with the one before when that is at most so many times as large. */
const mergeRatio = 4;

/** What an index needs most; null: nothing. */
export function findImprovement(index: BuiltIndex): Improvement | null {
  const { slotCount, deletedCount, unusedWords, listWords } = index;
  if (unusedWords > Math.max(maxUnusedWords, listWords / 2)) return 'rebuild';
  if (deletedCount > Math.max(minDeleted, maxDeletedShare * slotCount)) return 'rebuild';
  if (findUnlinked(index)) return 'link';
  if (findMerge(index) !== null) return 'merge';
  return countUnsaved(index) >= Math.max(saveAfter.count, saveAfter.share * slotCount) ? 'save' : null;
}

/** What of an index was not saved yet, in slots. */
export const countUnsaved = ({ unsaved, passages }: BuiltIndex): number => unsaved + (passages?.unsaved ?? 0);

/** Whether slots are missing in the graph. */
const needsLinks = ({ open, slotCount }: Linked): boolean =>
  slotCount >= minGraphSlots && readLinked(open.header) < slotCount;

/** The graph in which slots are missing: that of the chunks first, then that of the passages; undefined: in neither. */
export const findUnlinked = (index: BuiltIndex): Linked | undefined =>
  [index, index.passages].find((each) => each !== null && needsLinks(each)) ?? undefined;

const graphWriter = createGraphWriter(builderThread);

/** Adds slots to the graph: many by several threads until all are there, few for some milliseconds. */
export async function linkForAWhile(index: Linked, signal: AbortSignal): Promise<void> {
  if (isWorthThreads(index)) return linkInParallel(index, signal);
  const until = performance.now() + sliceMs;
  while (needsLinks(index) && performance.now() < until) {
    graphWriter.linkNext(index.open);
    index.unsaved += 1;
  }
  await nextTurn();
}

/** Merges two text segments, and drops what was deleted in them. */
export async function mergeTexts(index: BuiltIndex): Promise<void> {
  const first = findMerge(index);
  if (first === null) return;
  const pair = index.textSegments.slice(first, first + 2);
  const merged = await inSteps(mergeTextSegments(pair, (slot) => isIn(index.open.deleted, slot)));
  // Others may have been added meanwhile, at the end.
  index.textSegments = index.textSegments.toSpliced(first, 2, merged);
}

/** The place of a text segment that is merged with the next one; null when the segments are few enough for their sizes. */
function findMerge({ textSegments }: BuiltIndex): number | null {
  for (let i = textSegments.length - 2; i >= 0; i--) {
    const [before, after] = [textSegments[i], textSegments[i + 1]];
    if (before && after && before.slotCount <= mergeRatio * after.slotCount) return i;
  }
  return null;
}
