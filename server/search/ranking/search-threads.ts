import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type IndexSnapshot } from '../index/index-memory.ts';
import { maxThreads } from '../index/vector-memory.ts';
import type {
  RankingResult,
  RankingTask,
  SearchThreadOptions,
  SearchThreadRequest,
  SearchThreadResponse,
} from './search-tasks.ts';

/** Tasks that a thread holds at once: it begins the next one before the answer to the last has arrived. */
const tasksPerThread = 2;

type Waiting = {
  workspaceId: string;
  snapshot: IndexSnapshot;
  task: RankingTask;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
};

type Thread = {
  worker: Worker;
  /** Versions of the indexes that it has got. */
  versions: Map<string, number>;
  running: Map<number, Waiting>;
};

export type SearchThreads = ReturnType<typeof createSearchThreads>;

/**
 * Threads that search, one less than the cores and at least one. They start with the first search. Workspaces take turns, so that the searches
 * of one never keep those of another waiting for more than the one in progress.
 */
export function createSearchThreads(catalogFile: string) {
  const size = Math.min(maxThreads - 1, Math.max(1, availableParallelism() - 1));
  const threads: (Thread | null)[] = Array.from({ length: size }, () => null);
  /** By workspace what waits, the workspace that is served next first. */
  const waiting = new Map<string, Waiting[]>();
  let lastId = 0;
  let stopped = false;

  function start(place: number): Thread {
    const options: SearchThreadOptions = { thread: place + 1, catalogFile };
    const worker = new Worker(new URL('./search-thread.ts', import.meta.url), { workerData: options });
    const thread: Thread = { worker, versions: new Map(), running: new Map() };
    threads[place] = thread;
    worker.on('message', (response: SearchThreadResponse) => {
      const done = thread.running.get(response.id);
      thread.running.delete(response.id);
      startNext();
      // A program ends although its threads wait for tasks.
      if (thread.running.size === 0) worker.unref();
      if ('error' in response) done?.reject(response.error);
      else done?.resolve(response.result as never);
    });
    // The next task starts another one in its place.
    const onEnd = (error: Error) => {
      if (threads[place] === thread) threads[place] = null;
      for (const { reject } of thread.running.values()) reject(error);
      thread.running.clear();
      if (!stopped) startNext();
    };
    worker.on('error', onEnd);
    worker.on('exit', () => onEnd(new Error('The search thread ended.')));
    worker.unref();
    return thread;
  }

  /** The thread with the fewest tasks that can take another; null: all are busy. */
  function findFree(): Thread | null {
    let best: Thread | null = null;
    for (const [place, thread] of threads.entries()) {
      if (!thread) return best && best.running.size === 0 ? best : start(place);
      if (thread.running.size < tasksPerThread && (!best || thread.running.size < best.running.size)) best = thread;
    }
    return best;
  }

  function startNext(): void {
    for (;;) {
      const [first] = waiting;
      if (!first) return;
      const thread = findFree();
      if (!thread) return;
      const [workspaceId, queue] = first;
      const next = queue.shift() as Waiting;
      // Its next task goes behind those of the others.
      waiting.delete(workspaceId);
      if (queue.length > 0) waiting.set(workspaceId, queue);
      send(thread, next);
    }
  }

  function send(thread: Thread, waiting: Waiting): void {
    const { snapshot, task } = waiting;
    const { indexId, version } = snapshot;
    const isKnown = thread.versions.get(indexId) === version;
    lastId += 1;
    thread.versions.set(indexId, version);
    thread.running.set(lastId, waiting);
    const request: SearchThreadRequest = {
      kind: 'rank',
      id: lastId,
      indexId,
      snapshot: isKnown ? null : snapshot,
      task,
    };
    thread.worker.ref();
    thread.worker.postMessage(request);
  }

  return {
    /** Runs a task over a snapshot. Throws what the task throws, and an error when its thread ends. */
    run<Kind extends RankingTask['kind']>(
      workspaceId: string,
      snapshot: IndexSnapshot,
      task: Extract<RankingTask, { kind: Kind }>,
    ): Promise<RankingResult[Kind]> {
      return new Promise((resolve, reject) => {
        const queue = waiting.get(workspaceId) ?? [];
        queue.push({ workspaceId, snapshot, task, resolve, reject });
        waiting.set(workspaceId, queue);
        startNext();
      });
    },

    /** Frees the memory of an index that is no longer searched. */
    forget(indexId: string): void {
      for (const thread of threads) {
        if (thread?.versions.delete(indexId)) {
          thread.worker.postMessage({ kind: 'forget', indexId } satisfies SearchThreadRequest);
        }
      }
    },

    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(threads.map((thread) => thread?.worker.terminate()));
    },
  };
}
