import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openVectors, type VectorMemory } from '../index/vector-memory.ts';

/**
 * A thread that compares a query with the first vectors of a memory again and again, until it is told how many there are now; then it
 * says how often that gave something else than at first, and the dot similarity with the last vector.
 */

const { memory, query, known } = workerData as { memory: VectorMemory; query: Float32Array; known: number };
const vectors = openVectors(memory, 5);

function compare(first: number, count: number): number[] {
  vectors.setQuery(query);
  for (let i = 0; i < count; i++) vectors.list[i] = first + i;
  vectors.compare(count);
  return [...vectors.similarities.subarray(0, count)];
}

const expected = compare(0, known);
parentPort?.postMessage(expected);
let [rounds, wrong] = [0, 0];
for (;;) {
  if (compare(0, known).some((similarity, i) => similarity !== expected[i])) wrong += 1;
  rounds += 1;
  const told = parentPort && receiveMessageOnPort(parentPort);
  if (!told) continue;
  const [last] = compare((told.message as number) - 1, 1);
  parentPort?.postMessage({ rounds, wrong, last });
  break;
}
