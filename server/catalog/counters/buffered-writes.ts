import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import type { FastifyBaseLogger } from 'fastify';

type Log = Pick<FastifyBaseLogger, 'error'>;

/** How long buffered values wait to be stored. */
const flushIntervalMs = 1000;
/** How soon a flush is retried while another process writes: workers leave gaps of milliseconds. */
const busyIntervalMs = 100;
/** How long the last flush is retried while another process writes. */
const stopTimeoutMs = 10_000;

/** A value of a workspace under a name, such as the identifier of a key. */
export type BufferedValue<Value> = { workspaceId: string; name: string; value: Value };

export type BufferedWrites<Value> = ReturnType<typeof bufferWrites<Value>>;

/**
 * Buffers the values that requests produce (searches, last uses of keys) and stores them a moment later in one transaction: a commit for each
 * request would wait for the disk and for other processes that write. A crash loses the values of the last second. A flush that fails is
 * retried; where a connection is lost in the middle of a commit the values may be stored twice.
 * @param options.merge combines two values with the same name
 * @param options.store stores all values or, throwing, none; they come in the order of workspaces and names
 * @param options.what names the values in the log
 */
export function bufferWrites<Value>({
  merge,
  store,
  what,
  log,
}: {
  merge: (earlier: Value, later: Value) => Value;
  store: (values: BufferedValue<Value>[]) => Promise<void>;
  what: string;
  log: Log;
}) {
  let pending = new Map<string, BufferedValue<Value>>();
  let running: Promise<unknown> = Promise.resolve();
  const keyOf = (workspaceId: string, name: string) => `${workspaceId} ${name}`;

  function keep(added: BufferedValue<Value>): void {
    const key = keyOf(added.workspaceId, added.name);
    const earlier = pending.get(key);
    pending.set(key, earlier ? { ...added, value: merge(earlier.value, added.value) } : added);
  }

  async function storePending(): Promise<void> {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      await store([...batch.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value));
    } catch (error) {
      const later = pending;
      pending = batch;
      for (const each of later.values()) keep(each);
      throw error;
    }
  }

  /** Runs work when no flush is in progress: until it ends, each value is either stored or pending. */
  function betweenFlushes<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = running.then(work, work);
    running = result;
    return result;
  }

  /** Stores the pending values. */
  const flush = (): Promise<void> => betweenFlushes(storePending);

  const flushing = createFlushing(flush, what, log);

  return {
    add(added: BufferedValue<Value>): void {
      keep(added);
      flushing.schedule();
    },
    /** The pending value under a name. */
    find: (workspaceId: string, name: string): Value | undefined => pending.get(keyOf(workspaceId, name))?.value,
    /** The pending values of a workspace. */
    list: (workspaceId: string) => [...pending.values()].filter((each) => each.workspaceId === workspaceId),
    betweenFlushes,
    flush,
    /** Flushes a last time. It waits for another process that writes, without blocking. */
    stop: () => flushing.stop(),
  };
}

/** Calls `flush` some time after it was asked for, and again while it throws. */
function createFlushing(flush: () => Promise<void>, what: string, log: Log) {
  let timer: NodeJS.Timeout | undefined;

  function schedule(delay = flushIntervalMs): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch((error: unknown) => {
        if (isBusy(error)) return schedule(busyIntervalMs);
        log.error({ err: error }, `${what} could not be stored; they are retried`);
        schedule();
      });
    }, delay).unref();
  }

  return {
    schedule: () => schedule(),
    async stop(): Promise<void> {
      clearTimeout(timer);
      const deadline = performance.now() + stopTimeoutMs;
      for (;;) {
        try {
          return await flush();
        } catch (error) {
          if (!isBusy(error) || performance.now() > deadline) {
            log.error({ err: error }, `the last ${what} could not be stored`);
            return;
          }
        }
        await sleep(busyIntervalMs);
      }
    },
  };
}

/** Whether another process was writing to the SQLite file. */
const isBusy = (error: unknown): boolean => error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY');
