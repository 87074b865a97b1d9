import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import type { FastifyBaseLogger } from 'fastify';

/**
 * What requests leave behind (counts of searches, last uses of keys) is collected in memory and stored a moment later: a commit for each request
 * would wait for the disk, and for processes that write, and block the process that answers all requests. A crash loses what came in the last
 * second.
 */

/** How long what was collected waits to be stored. */
const flushIntervalMs = 1000;
/** How soon it is tried again while another process writes: workers leave gaps of milliseconds. */
const busyIntervalMs = 100;
/** How long it is tried at the stop while another process writes. */
const stopTimeoutMs = 10_000;
/** How long a read waits. Only the repair of the log after a killed process makes readers wait. */
const readTimeoutMs = 10_000;

/** A connection that never waits for other writers. All is synchronous, so that nothing comes between reading and counting. */
type LateConnection = {
  sqlite: SQLite.Database;
  /**
   * Does all of some work in a transaction, or, throwing `SqliteError`, nothing. While another connection writes it fails at once: waiting would
   * block all requests.
   */
  write: (work: () => void) => void;
};

/** @param file path of a catalog that is up to date */
export function openLateConnection(file: string): LateConnection {
  const sqlite = new SQLite(file, { fileMustExist: true, timeout: readTimeoutMs });
  // Other connections sync the log with what they commit. A power cut may cost the writes since then, a crash of the service does not.
  sqlite.pragma('synchronous = NORMAL');
  // What others wrote is moved from the log to the file by them, at 1,000 pages: it takes long, and would block all requests. Where nobody else
  // writes, the log is as large as this with the same few pages, which are moved quickly.
  sqlite.pragma('wal_autocheckpoint = 10000');
  return {
    sqlite,
    write(work) {
      sqlite.pragma('busy_timeout = 0');
      try {
        sqlite.transaction(work).immediate();
      } finally {
        sqlite.pragma(`busy_timeout = ${readTimeoutMs}`);
      }
    },
  };
}

/**
 * Calls `flush` some time after something was collected, and again while it throws.
 * @param what what `flush` stores, for the log
 */
export function createFlushing(flush: () => void | Promise<void>, what: string, log: Pick<FastifyBaseLogger, 'error'>) {
  let timer: NodeJS.Timeout | undefined;

  function schedule(delay = flushIntervalMs): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void tryFlush();
    }, delay).unref();
  }

  async function tryFlush(): Promise<void> {
    try {
      await flush();
    } catch (error) {
      if (isBusy(error)) return schedule(busyIntervalMs);
      log.error({ err: error }, `${what} could not be stored; they are retried`);
      schedule();
    }
  }

  return {
    schedule: () => schedule(),

    /** The last flush. It waits for another process that writes, without blocking. */
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

/** Whether another process was writing. */
const isBusy = (error: unknown): boolean => error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY');
