import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Catalog } from '../../catalog/schema.ts';
import { isInHistory, readTimeline } from '../../catalog/timelines.ts';
import { createGraphWriter } from '../graph/link-slot.ts';
import { readLinked } from '../index/index-memory.ts';
import { hasSlot } from '../index/slot-set.ts';
import { mergeTextSegments } from '../text/merge-segments.ts';
import { type BuiltIndex, createBuiltIndex, type IndexKey } from './built-index.ts';
import { catchUp, inSteps } from './follow-catalog.ts';
import { loadIndex, saveIndex } from './index-file.ts';

/** How long the graph grows before other work of the thread has its turn, in milliseconds. */
const sliceMs = 4;
/** Fewer slots than this are compared one by one as quickly as through a graph. */
const minGraphSlots = 6000;
/** With so many changes, or this share of all slots, an index is saved; fewer are read again from the catalog after a crash. */
const saveAfter = { count: 5000, share: 0.01 };
/** Smaller indexes are built from the catalog as quickly as they are loaded from a file. */
const minSavedSlots = 2000;
/** From this share of deleted slots on an index is built again without them. */
const maxDeletedShare = 0.25;
const minDeleted = 5000;
/** A text segment is merged with the one before when that is at most so many times as large. */
const mergeRatio = 4;

export type IndexKeeper = ReturnType<typeof keepIndex>;

/**
 * Keeps the index of a workspace under one embedder: loads or builds it, follows the catalog, and does in the background what makes it faster
 * or smaller, in slices of a few milliseconds.
 * @param publish called with each state that searches shall see from then on
 * @param report called with failures in the background; the index stays as it is
 */
export function keepIndex(parts: {
  db: Catalog;
  key: IndexKey;
  file: string;
  publish: (index: BuiltIndex) => void;
  report: (error: unknown) => void;
}) {
  const { db, key, file, publish, report } = parts;
  let index: BuiltIndex | undefined;
  /** Whatever reads changes of the catalog runs one after the other. */
  let following: Promise<unknown> = Promise.resolve();
  let maintaining: Promise<void> | undefined;
  let stopped = false;
  const graphWriter = createGraphWriter();

  const alone = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = following.then(work);
    following = result.catch(() => undefined);
    return result;
  };

  async function load(): Promise<BuiltIndex> {
    const saved = await loadIndex(file, key);
    // One that was saved before an older copy of the catalog was restored holds other chunks.
    if (!saved || !(await isInHistory(db, saved.position))) return createBuiltIndex(key);
    saved.index.change = saved.position.change;
    return saved.index;
  }

  async function refresh(): Promise<void> {
    const before = index?.change;
    index ??= await load();
    await catchUp(db, index);
    if (index.change !== before) publish(index);
    maintaining ??= maintain().finally(() => {
      maintaining = undefined;
    });
  }

  /** Works in the background until nothing is left to do. */
  async function maintain(): Promise<void> {
    while (!stopped && index && (await improve(index))) await nextTurn();
  }

  /** Does a piece of the most urgent work. @returns false when there is none */
  async function improve(current: BuiltIndex): Promise<boolean> {
    try {
      if (current.deletedCount > Math.max(minDeleted, maxDeletedShare * current.slotCount)) await rebuild();
      else if (linkForAWhile(current)) return true;
      else if (findMerge(current) !== null) await mergeTexts(current);
      else if (current.unsaved >= Math.max(saveAfter.count, saveAfter.share * current.slotCount)) await save();
      else return false;
      return true;
    } catch (error) {
      report(error);
      return false;
    }
  }

  /** @returns false when all slots are in the graph, or they are too few for one */
  function linkForAWhile(current: BuiltIndex): boolean {
    const { open, slotCount } = current;
    if (slotCount < minGraphSlots || readLinked(open.header) >= slotCount) return false;
    const until = performance.now() + sliceMs;
    while (readLinked(open.header) < slotCount && performance.now() < until) graphWriter.linkNext(open);
    return true;
  }

  async function mergeTexts(current: BuiltIndex): Promise<void> {
    const first = findMerge(current) as number;
    const pair = current.textSegments.slice(first, first + 2);
    const deleted = { words: current.open.deleted };
    const merged = await inSteps(mergeTextSegments(pair, (slot) => hasSlot(deleted, slot)));
    // Others may have been added meanwhile, at the end.
    current.textSegments = current.textSegments.toSpliced(first, 2, merged);
    publish(current);
  }

  /** Builds the index again beside the present one, without deleted slots. */
  async function rebuild(): Promise<void> {
    const next = createBuiltIndex(key);
    await catchUp(db, next);
    while (linkForAWhile(next)) await nextTurn();
    await alone(async () => {
      await catchUp(db, next);
      index = next;
      publish(next);
    });
  }

  async function save(): Promise<void> {
    const saving = await alone(async () => {
      if (!index) return undefined;
      const timeline = await readTimeline(db);
      index.unsaved = 0;
      // What it saves is what the index holds now, between two changes.
      return { done: saveIndex(file, index, { timeline, change: index.change }) };
    });
    await saving?.done;
  }

  return {
    key,

    /** Brings the index up to date with all that is stored now. */
    refresh: (): Promise<void> => alone(refresh),

    /** Ends work in the background, and saves what changed. */
    async stop(): Promise<void> {
      stopped = true;
      await maintaining;
      if (index && index.unsaved > 0 && index.slotCount >= minSavedSlots) await save();
    },

    /** Removes its file: another embedder is active now. */
    async discard(): Promise<void> {
      stopped = true;
      await maintaining;
      await rm(file, { force: true });
    },
  };
}

/** The place of a text segment that is merged with the next one; null when the segments are few enough for their sizes. */
function findMerge({ textSegments }: BuiltIndex): number | null {
  for (let i = textSegments.length - 2; i >= 0; i--) {
    const [before, after] = [textSegments[i], textSegments[i + 1]];
    if (before && after && before.slotCount <= mergeRatio * after.slotCount) return i;
  }
  return null;
}
