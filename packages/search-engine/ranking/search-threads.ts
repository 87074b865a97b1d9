import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { IndexSnapshot } from '../index/index-memory.ts';
import { maxThreads } from '../index/vector-memory.ts';
import type { RankingResult, RankingTask, SearchThreadRequest, SearchThreadResponse } from './search-tasks.ts';
import { createTurnQueue } from './turn-queue.ts';

/** Tasks that a thread holds at once: it begins the next one before the answer to the last has arrived. */
const tasksPerThread = 2;

/** One less than the cores, at least one. */
const searchThreadCount = Math.min(maxThreads - 1, Math.max(1, availableParallelism() - 1));

/** A task that waits or runs. */
type Pending = {
  snapshot: IndexSnapshot;
  task: RankingTask;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
};

type Thread = {
  runningCount: () => number;
  run: (pending: Pending) => void;
  forget: (indexId: string) => void;
  end: () => Promise<unknown>;
};

export type SearchThreads = ReturnType<typeof createSearchThreads>;

/**
 * Threads that search. They start when they are first needed. Workspaces take turns, so that the searches
 * of one never keep those of another waiting for more than those in progress.
 * @param startWorker starts a thread that calls `serveSearches` with this number
 */
export function createSearchThreads(startWorker: (thread: number) => Worker) {
  const threads: (Thread | null)[] = Array.from({ length: searchThreadCount }, () => null);
  const queue = createTurnQueue<Pending>();
  const stopping = new AbortController();

  /** The thread with the fewest tasks that can take another, or a new one where all are busy; null: there can be no more. */
  function findFree(): Thread | null {
    const best = threads
      .filter((thread) => thread !== null)
      .reduce<Thread | null>(
        (least, each) => (least && least.runningCount() <= each.runningCount() ? least : each),
        null,
      );
    if (best?.runningCount() === 0) return best;
    const place = threads.indexOf(null);
    if (place !== -1) {
      const started = startThread(startWorker(place + 1), startNext, () => {
        if (threads[place] === started) threads[place] = null;
      });
      threads[place] = started;
      return started;
    }
    return best && best.runningCount() < tasksPerThread ? best : null;
  }

  function startNext(): void {
    while (!stopping.signal.aborted && queue.size() > 0) {
      const thread = findFree();
      if (!thread) return;
      thread.run(queue.next() as Pending);
    }
  }

  return {
    /** Runs a task over a snapshot. Throws what the task throws, and an error when its thread ends. */
    run<Kind extends RankingTask['kind']>(
      workspaceId: string,
      snapshot: IndexSnapshot,
      task: Extract<RankingTask, { kind: Kind }>,
    ): Promise<RankingResult[Kind]> {
      return new Promise((resolve, reject) => {
        if (stopping.signal.aborted) reject(new Error('The service stops.'));
        else queue.add(workspaceId, { snapshot, task, resolve, reject });
        startNext();
      });
    },

    /** Frees the memory of an index that is no longer searched. */
    forget(indexId: string): void {
      for (const thread of threads) thread?.forget(indexId);
    },

    async stop(): Promise<void> {
      stopping.abort();
      for (let next = queue.next(); next; next = queue.next()) next.reject(new Error('The service stops.'));
      await Promise.all(threads.flatMap((thread) => (thread ? [thread.end()] : [])));
    },
  };
}

/**
 * @param onFree called when it can take another task
 * @param onEnd called when it ended; what it ran has failed then
 */
function startThread(worker: Worker, onFree: () => void, onEnd: () => void): Thread {
  /** Versions of the indexes that it has got. */
  const versions = new Map<string, number>();
  /** Indexes that are no longer searched, but for tasks that were waiting. */
  const retired = new Set<string>();
  const running = new Map<number, Pending>();
  let lastId = 0;
  const send = (request: SearchThreadRequest) => worker.postMessage(request);
  const end = (error: Error) => {
    onEnd();
    for (const { reject } of running.values()) reject(error);
    running.clear();
    onFree();
  };
  const forget = (indexId: string) => {
    if (versions.delete(indexId)) send({ kind: 'forget', indexId });
  };
  worker.on('message', (response: SearchThreadResponse) => {
    const done = running.get(response.id);
    running.delete(response.id);
    if (done && retired.has(done.snapshot.indexId)) forget(done.snapshot.indexId);
    onFree();
    // A program ends although its threads wait for tasks.
    if (running.size === 0) worker.unref();
    if ('error' in response) done?.reject(response.error);
    else done?.resolve(response.result as never);
  });
  worker.once('error', end);
  worker.once('exit', () => {
    if (running.size > 0) end(new Error('The search thread ended.'));
    else onEnd();
  });
  worker.unref();
  return {
    runningCount: () => running.size,

    run(pending) {
      const { snapshot, task } = pending;
      const { indexId, version } = snapshot;
      const isKnown = versions.get(indexId) === version;
      versions.set(indexId, version);
      lastId += 1;
      running.set(lastId, pending);
      worker.ref();
      send({ kind: 'rank', id: lastId, indexId, snapshot: isKnown ? null : snapshot, task });
    },

    forget(indexId) {
      retired.add(indexId);
      forget(indexId);
    },

    end: () => worker.terminate(),
  };
}
