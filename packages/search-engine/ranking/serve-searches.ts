import { parentPort } from 'node:worker_threads';
import { createGraphScratch } from '../graph/search-graph.ts';
import { Accumulator } from '../text/accumulator.ts';
import { findDistinct } from './find-distinct.ts';
import { type IndexReader, readIndex } from './index-reader.ts';
import { measure, runSearch, type SearchParts } from './run-search.ts';
import type {
  DistinctTask,
  RankingRequest,
  RankingResult,
  RankingTask,
  SearchReader,
  SearchThreadRequest,
  SearchThreadResponse,
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
    ) => RankingResult[Kind];
  } = {
    search: (reader, task) => runSearch(reader, task, parts),
    background: (reader, { vector, traits }) => measure(reader, vector, traits).background,
    distinct: keepDistinct,
  };

  /** The index of a request, as of the latest snapshot that came. */
  function findReader({ indexId, snapshot }: RankingRequest): IndexReader {
    if (snapshot) readers.set(indexId, readIndex(snapshot, thread));
    const reader = readers.get(indexId);
    if (!reader) throw new Error(`The index ${indexId} was never sent to this thread.`);
    return reader;
  }

  parentPort?.on('message', (request: SearchThreadRequest) => {
    if (request.kind === 'forget') {
      readers.delete(request.indexId);
      return;
    }
    const { id } = request;
    let response: SearchThreadResponse;
    try {
      const { task } = request;
      response = { id, result: handlers[task.kind](findReader(request), task as never) };
    } catch (error) {
      response = { id, error: error instanceof Error ? error : new Error(String(error)) };
    }
    parentPort?.postMessage(response);
  });
}

/** Chunks without a slot, which were added or deleted at this moment, are left out. */
function keepDistinct(reader: IndexReader, { numbers, options, traits }: DistinctTask): RankingResult['distinct'] {
  const slots = reader.findSlots(numbers);
  const places = numbers.flatMap((_, place) => (slots[place] === undefined ? [] : [place]));
  const known = places.map((place) => slots[place] as number);
  return findDistinct(reader, known, options, traits).map(({ place, duplicates }) => ({
    place: places[place] as number,
    duplicates: duplicates.map((other) => places[other] as number),
  }));
}
