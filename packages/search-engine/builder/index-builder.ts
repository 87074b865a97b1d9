import type { Worker } from 'node:worker_threads';
import type { IndexSnapshot } from '../index/index-memory.ts';
import type { BuilderMessage, BuilderRequest } from './builder-messages.ts';
import type { IndexKey } from './built-index.ts';

type Pending = { resolve: (isReady: boolean) => void; reject: (error: Error) => void };
/** What waits for an answer belongs to its thread: when that has ended, a new one may have requests already. */
type Thread = { worker: Worker; pending: Map<number, Pending> };
type WithoutId<Request> = Request extends unknown ? Omit<Request, 'id'> : never;

type Listeners = {
  /** Called with what searches of a workspace read from then on. */
  onSnapshot: (workspaceId: string, embedderId: string, snapshot: IndexSnapshot) => void;
  /** Called when work in the background failed; searches go on with what there is. */
  onProblem: (error: Error) => void;
};

export type IndexBuilder = ReturnType<typeof createIndexBuilder>;

/**
 * The thread that builds search indexes and keeps them up to date. It starts with the first request, and again after it has failed.
 * @param startThread starts a thread that calls `serveBuilder`
 */
export function createIndexBuilder(startThread: () => Worker, { onSnapshot, onProblem }: Listeners) {
  let thread: Thread | undefined;
  let lastId = 0;

  function start(): Thread {
    const pending = new Map<number, Pending>();
    const worker = startThread();
    worker.on('message', (message: BuilderMessage) => {
      if (message.kind === 'snapshot') {
        onSnapshot(message.workspaceId, message.embedderId, message.snapshot);
      } else if (message.kind === 'problem') {
        onProblem(message.error);
      } else {
        const request = pending.get(message.id);
        pending.delete(message.id);
        // A program ends although this thread waits for requests.
        if (pending.size === 0) worker.unref();
        if (message.kind === 'done') request?.resolve(message.isReady);
        else request?.reject(message.error);
      }
    });
    const onEnd = (error: Error) => {
      if (thread?.worker === worker) thread = undefined;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    worker.on('error', onEnd);
    worker.on('exit', () => onEnd(new Error('The thread that builds search indexes ended.')));
    worker.unref();
    return { worker, pending };
  }

  function ask(request: WithoutId<BuilderRequest>): Promise<boolean> {
    const { worker, pending } = (thread ??= start());
    lastId += 1;
    worker.ref();
    worker.postMessage({ ...request, id: lastId });
    return new Promise((resolve, reject) => {
      pending.set(lastId, { resolve, reject });
    });
  }

  return {
    /**
     * Brings the index of a workspace up to date with the catalog. Its snapshot arrives before this ends.
     * @returns false where another process builds the index, and has not saved it yet
     */
    refresh: (key: IndexKey): Promise<boolean> => ask({ kind: 'refresh', ...key }),

    /** Saves the index of a workspace that was not searched for long, and frees its memory. The next refresh loads it. */
    async close(workspaceId: string): Promise<void> {
      await ask({ kind: 'close', workspaceId });
    },

    /** Saves the indexes for the next start, and ends the thread. */
    async stop(): Promise<void> {
      if (!thread) return;
      const { worker } = thread;
      try {
        await ask({ kind: 'stop' });
      } finally {
        await worker.terminate();
      }
    },
  };
}
