import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createGraphWriter } from '../graph/link-slot.ts';
import { openLocksOf } from '../graph/lock-links.ts';
import { headerFields, readLinked } from '../index/index-memory.ts';
import { maxThreads } from '../index/vector-memory.ts';
import { builderThread, type BuiltIndex } from './built-index.ts';
import type { LinkThreadData, SlotRange } from './link-thread.ts';

/**
 * Adds many slots to a graph by several threads (`link-thread.ts`), one for each core and with less priority than searches where the system can
 * do that. This thread hands out ranges of slots and says by `linked` in the header up to where all are done, so searches and saved files know
 * of whole beginnings only, as with one thread. A range is larger than most items: chunks that are alike are in one, and find each other. A thread that dies
 * is replaced, what it had locked is opened, and its ranges are linked again by another.
 */

/** Slots that a thread gets at once. */
const rangeSlots = 128;
/** Ranges that a thread has, so that it need not wait for this one. */
const rangesAhead = 2;
/** More threads read one memory no faster. */
const maxLinkers = 16;
/** Where threads die for a reason of their own, this thread links alone. */
const maxFailures = 3;
/** How long to wait for more slots while some are still being added, ms. */
const waitMs = 20;

/** From so many missing slots on it takes several threads; starting them takes as long as linking some hundreds. */
const minMissing = 4096;
/** The first slots are linked by this thread: in parallel they would find none to link to. */
const minLinked = 1024;
/** How long this thread links before other work of it has its turn, ms. */
const sliceMs = 4;

let failures = 0;

/** Whether so many slots are missing in a graph that several threads should add them. */
export function isWorthThreads({ open: { header }, slotCount }: Pick<BuiltIndex, 'open' | 'slotCount'>): boolean {
  return failures < maxFailures && slotCount - readLinked(header) >= minMissing;
}

type Linker = { worker: Worker; thread: number; ranges: SlotRange[] };

type Options = {
  /** While it says so, more slots are waited for. */
  isGrowing?: () => boolean;
  threads?: number;
  startThread?: (data: LinkThreadData) => Worker;
};

const startLinkThread = (workerData: LinkThreadData): Worker =>
  new Worker(new URL('./link-thread.ts', import.meta.url), { workerData });

/** Adds all slots of an index to its graph, until the signal is aborted or threads have died too often: the rest remains for others to do. */
export async function linkInParallel(
  index: BuiltIndex,
  signal: AbortSignal,
  { isGrowing = () => false, threads = Math.min(availableParallelism(), maxLinkers), startThread }: Options = {},
): Promise<void> {
  const { header, locks } = index.open;
  await linkFirst(index, signal);
  const linkers = new Set<Linker>();
  const failed: SlotRange[] = [];
  /** Ends of the ranges that are done behind one that is not, by their first slots. */
  const done = new Map<number, number>();
  let next = readLinked(header);
  const ended = Promise.withResolvers<void>();

  function takeRange(): SlotRange | undefined {
    const again = failed.shift();
    if (again || next >= index.slotCount) return again;
    const range = { first: next, end: Math.min(next + rangeSlots, index.slotCount) };
    next = range.end;
    return range;
  }

  /** Gives each thread its next ranges; ends when none has any left. */
  function feed(): void {
    const isStopped = signal.aborted || failures >= maxFailures;
    for (const linker of linkers) {
      while (!isStopped && linker.ranges.length < rangesAhead) {
        const range = takeRange();
        if (!range) break;
        linker.ranges.push(range);
        linker.worker.postMessage(range);
      }
    }
    if ([...linkers].some(({ ranges }) => ranges.length > 0)) return;
    if (!isStopped && linkers.size > 0 && isGrowing()) setTimeout(feed, waitMs);
    else ended.resolve();
  }

  function finish(linker: Linker, first: number): void {
    const range = linker.ranges.find((each) => each.first === first);
    if (!range) return;
    linker.ranges.splice(linker.ranges.indexOf(range), 1);
    done.set(range.first, range.end);
    index.unsaved += range.end - range.first;
    let linked = readLinked(header);
    for (let end = done.get(linked); end !== undefined; end = done.get(linked)) {
      done.delete(linked);
      linked = end;
    }
    Atomics.store(header, headerFields.linked, linked);
    feed();
  }

  function start(thread: number): void {
    const linker: Linker = {
      worker: (startThread ?? startLinkThread)({ memory: index.memory, thread }),
      thread,
      ranges: [],
    };
    linkers.add(linker);
    const replace = () => {
      if (!linkers.delete(linker)) return;
      failures += 1;
      openLocksOf(locks, thread);
      failed.push(...linker.ranges);
      if (failures < maxFailures && !signal.aborted) start(thread);
      feed();
    };
    linker.worker
      .on('message', (first: number) => finish(linker, first))
      .on('error', replace)
      .on('exit', replace);
  }

  for (let i = 0; i < threads; i++) start(maxThreads - 1 - i);
  feed();
  await ended.promise;
  const workers = [...linkers].map(({ worker }) => worker);
  // From here on an exit is no failure.
  linkers.clear();
  await Promise.all(workers.map((worker) => worker.terminate()));
}

/** Begins a graph, in slices. */
async function linkFirst(index: BuiltIndex, signal: AbortSignal): Promise<void> {
  const writer = createGraphWriter(builderThread);
  const { header } = index.open;
  const isMissing = () => readLinked(header) < Math.min(minLinked, index.slotCount);
  while (isMissing() && !signal.aborted) {
    for (const until = performance.now() + sliceMs; isMissing() && performance.now() < until;) {
      writer.linkNext(index.open);
      index.unsaved += 1;
    }
    await nextTurn();
  }
}
