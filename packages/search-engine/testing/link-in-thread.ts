import { workerData } from 'node:worker_threads';
import { createGraphWriter } from '../graph/link-slot.ts';
import { type IndexMemory, openIndex, readLinked } from '../index/index-memory.ts';

/** A thread that adds all slots of an index to its graph, as the builder does. */

const { memory, slotCount } = workerData as { memory: IndexMemory; slotCount: number };
const index = openIndex(memory, 0);
const writer = createGraphWriter(0);
while (readLinked(index.header) < slotCount) writer.linkNext(index);
