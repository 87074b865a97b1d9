import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createGraphWriter } from '../graph/link-slot.ts';
import { countViewed, type IndexMemory, openIndex } from '../index/index-memory.ts';

/** A thread that adds slots to the graph of an index, beside others; see `link-in-parallel.ts`. It answers each range by its first slot. */

/** @param thread its number, which no other thread of the index has */
export type LinkThreadData = { memory: IndexMemory; thread: number };

/** Slots from `first` to before `end`. */
export type SlotRange = { first: number; end: number };

const { memory, thread } = workerData as LinkThreadData;
const writer = createGraphWriter(thread);
let index = openIndex(memory, thread);
yieldToSearches();

parentPort?.on('message', ({ first, end }: SlotRange) => {
  // What was added since has no place in the views of before.
  if (countViewed(index) < end) index = openIndex(memory, thread);
  for (let slot = first; slot < end; slot++) writer.link(index, slot);
  parentPort?.postMessage(first);
});

/** Lowers the priority of this thread alone, where threads have one: on Linux, where each has a number as a process has. */
function yieldToSearches(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), constants.priority.PRIORITY_LOW);
  } catch {
    // A container may forbid it: then it links at the priority of the others.
  }
}
