import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createGraphWriter } from '../graph/link-slot.ts';
import { openLocksOf } from '../graph/lock-links.ts';
import { headerFields, readLinked } from '../index/index-memory.ts';
import { maxThreads } from '../index/vector-memory.ts';
import { builderThread } from './builder-thread-number.ts';
import type { BuiltIndex } from './built-index.ts';
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
/** The first slots that have a vector are linked by this thread: in parallel they would find none to link to. */
const minLinked = 1024;
/** How long this thread links before other work of it has its turn, ms. */
const sliceMs = 4;

let failures = 0;

/** What has a graph: an index, or its passages. */
export type Linked = Pick<BuiltIndex, 'memory' | 'open' | 'slotCount' | 'unsaved'>;

/** Whether so many slots are missing in a graph that several threads should add them. */
export function isWorthThreads({ open: { header }, slotCount }: Pick<Linked, 'open' | 'slotCount'>): boolean {
  return failures < maxFailures && slotCount - readLinked(header) >= minMissing;
}

type Linker = { worker: Worker; thread: number; ranges: SlotRange[] };

type Options = {
  /** While it says so, more slots are waited for. */
  isGrowing?: () => boolean;
  threads?: number;
  startThread?: (data: LinkThreadData) => Worker;
};

type Job = Required<Omit<Options, 'threads'>> & {
  index: Linked;
  signal: AbortSignal;
  linkers: Set<Linker>;
  /** The first slot that no thread got. */
  next: number;
  /** Ranges of threads that died. */
  failed: SlotRange[];
  /** Ends of the ranges that are done behind one that is not, by their first slots. */
  done: Map<number, number>;
  end: () => void;
};

const startLinkThread = (workerData: LinkThreadData): Worker =>
  new Worker(new URL('./link-thread.ts', import.meta.url), { workerData });

/** Adds all slots of an index to its graph, until the signal is aborted or threads have died too often: the rest remains for others to do. */
export async function linkInParallel(
  index: Linked,
  signal: AbortSignal,
  {
    isGrowing = () => false,
    threads = Math.min(availableParallelism(), maxLinkers),
    startThread = startLinkThread,
  }: Options = {},
): Promise<void> {
  await linkFirst(index, signal);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const next = readLinked(index.open.header);
  const job: Job = {
    index,
    signal,
    isGrowing,
    startThread,
    linkers: new Set(),
    next,
    failed: [],
    done: new Map(),
    end,
  };
  for (let i = 0; i < threads; i++) startLinker(job, maxThreads - 1 - i);
  feed(job);
  await promise;
  const workers = Array.from(job.linkers, ({ worker }) => worker);
  // From here on an exit is no failure.
  job.linkers.clear();
  await Promise.all(workers.map((worker) => worker.terminate()));
}

function startLinker(job: Job, thread: number): void {
  const worker = job.startThread({ memory: job.index.memory, thread });
  const linker: Linker = { worker, thread, ranges: [] };
  job.linkers.add(linker);
  const replace = () => {
    if (!job.linkers.delete(linker)) return;
    failures += 1;
    openLocksOf(job.index.open.locks, thread);
    job.failed.push(...linker.ranges);
    if (!isStopped(job)) startLinker(job, thread);
    feed(job);
  };
  worker
    .on('message', (first: number) => finishRange(job, linker, first))
    .on('error', replace)
    .on('exit', replace);
}

const isStopped = ({ signal }: Job): boolean => signal.aborted || failures >= maxFailures;

/** Gives each thread its next ranges; ends when none has any left. */
function feed(job: Job): void {
  for (const linker of job.linkers) {
    while (linker.ranges.length < rangesAhead) {
      const range = isStopped(job) ? undefined : takeRange(job);
      if (!range) break;
      linker.ranges.push(range);
      linker.worker.postMessage(range);
    }
  }
  if ([...job.linkers].some(({ ranges }) => ranges.length > 0)) return;
  if (!isStopped(job) && job.isGrowing()) setTimeout(() => feed(job), waitMs);
  else job.end();
}

function takeRange(job: Job): SlotRange | undefined {
  const again = job.failed.shift();
  const { next: first, index } = job;
  if (again || first >= index.slotCount) return again;
  job.next = Math.min(first + rangeSlots, index.slotCount);
  return { first, end: job.next };
}

/** Notes that a range is linked, and up to where all are. */
function finishRange(job: Job, linker: Linker, first: number): void {
  const range = linker.ranges.find((each) => each.first === first);
  if (!range) return;
  linker.ranges.splice(linker.ranges.indexOf(range), 1);
  const { index, done } = job;
  const { header } = index.open;
  index.unsaved += range.end - range.first;
  done.set(range.first, range.end);
  let linked = readLinked(header);
  for (let end = done.get(linked); end !== undefined; end = done.get(linked)) {
    done.delete(linked);
    linked = end;
  }
  Atomics.store(header, headerFields.linked, linked);
  feed(job);
}

/** Begins a graph, in slices. */
async function linkFirst(index: Linked, signal: AbortSignal): Promise<void> {
  const writer = createGraphWriter(builderThread);
  const { header } = index.open;
  let [counted, found] = [0, 0];
  const isMissing = () => {
    const { embedded } = index.open;
    for (const linked = readLinked(header); counted < linked && found < minLinked; counted++) {
      found += embedded[counted] as number;
    }
    return found < minLinked && readLinked(header) < index.slotCount;
  };
  while (isMissing() && !signal.aborted) {
    for (const until = performance.now() + sliceMs; isMissing() && performance.now() < until;) {
      writer.linkNext(index.open);
      index.unsaved += 1;
    }
    await nextTurn();
  }
}
