import { parentPort } from 'node:worker_threads';
import { createGraphScratch } from '../graph/search-graph.ts';
import type { SlotSet } from '../index/slot-set.ts';
import { Accumulator } from '../text/accumulator.ts';
import { findDistinct } from './deduplicate.ts';
import { findNearestOfEach } from './find-nearest-of-each.ts';
import { type IndexReader, readIndex } from './index-reader.ts';
import { measure, openComparable, openMemoryIndex, type SearchParts } from './memory-index.ts';
import { type ComposedPart, runComposed } from './run-composed.ts';
import { runSearch } from './run-search.ts';
import { sampleChance } from './sampled-chance.ts';
import type {
  RankingRequest,
  RankingResult,
  RankingTask,
  SearchReader,
  SearchThreadRequest,
  SearchThreadResponse,
  StageTimes,
} from './search-tasks.ts';

/**
 * Answers the searches of the thread that started this one: it reads indexes in shared memory, which the builder writes. To be called once in a
 * worker thread.
 * @param thread its number, from 1 on; the builder is 0
 */
export function serveSearches(thread: number, catalog: SearchReader): void {
  const readers = new Map<string, IndexReader>();
  const parts: SearchParts = { scratch: createGraphScratch(), accumulator: new Accumulator(), catalog };
  const handlers: {
    [Kind in RankingTask['kind']]: (
      reader: IndexReader,
      task: Extract<RankingTask, { kind: Kind }>,
    ) => RankingResult[Kind] | Promise<RankingResult[Kind]>;
  } = {
    async search(reader, task) {
      const times: StageTimes = {};
      return runSearch(await openMemoryIndex(reader, task, parts, times), task, times);
    },
    async composed(reader, { parts: tasks, ...task }) {
      const times: StageTimes = {};
      const opened: ComposedPart<SlotSet>[] = [];
      for (const query of tasks) opened.push({ query, index: await openMemoryIndex(reader, query, parts, times) });
      return runComposed(opened, task, times);
    },
    background: (reader, { vector, traits }) => measure(reader, vector, traits),
    // Chunks without a slot were added or deleted at this moment.
    distinct: (reader, { numbers, options, traits }) =>
      findDistinct(openComparable(reader, reader.findSlots(numbers), traits), options),
    chance: (reader, { words, traits }) => sampleChance(words, (word) => reader.compare(word, reader.sample()), traits),
    nearest: (reader, { vectors, ...options }) => findNearestOfEach(reader, parts.scratch, vectors, options),
  };

  /** The index of a request, as of the latest snapshot that came. */
  function findReader({ indexId, snapshot }: RankingRequest): IndexReader {
    if (snapshot) readers.set(indexId, readIndex(snapshot, thread));
    const reader = readers.get(indexId);
    if (!reader) throw new Error(`The index ${indexId} was never sent to this thread.`);
    return reader;
  }

  async function answer(request: RankingRequest): Promise<SearchThreadResponse> {
    const { id, task } = request;
    try {
      return { id, result: await handlers[task.kind](findReader(request), task as never) };
    } catch (error) {
      return { id, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  // One after the other: they share memory for what they compute, and an index is forgotten after the searches that were sent before.
  let last: Promise<void> = Promise.resolve();
  parentPort?.on('message', (request: SearchThreadRequest) => {
    const before = last;
    last = (async () => {
      await before;
      if (request.kind === 'forget') readers.delete(request.indexId);
      else parentPort?.postMessage(await answer(request));
    })();
  });
}
