import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';

/**
 * Finds out that a database is away that neither answers nor refuses, as behind a network that passes nothing on: the system would tell after a
 * quarter of an hour. A statement may take long, so its time says nothing: another connection asks whether the server answers at all.
 */

/** After a statement has run for so long, the server is asked, and again and again while it runs, milliseconds. */
const suspiciousMs = 3000;
/** The server is away when it does not answer within this time, milliseconds. With the first, requests learn of it within 10 seconds. */
const answerMs = 5000;
const lookMs = 500;

/** A connection that waits for an answer. */
type Waiting = { /** Ends it, so that what waits fails. */ giveUp: () => void };

export type SilenceWatch = {
  /** Notes that a connection waits. @returns what notes that it has its answer */
  begin(waiting: Waiting): () => void;
};

/** @param config of a connection to the database */
export function createSilenceWatch(config: ClientConfig): SilenceWatch {
  /** Since when each waits. */
  const asked = new Map<Waiting, number>();
  let looking: NodeJS.Timeout | undefined;
  let isProbing = false;
  let answeredAt = -Infinity;

  async function probe(): Promise<void> {
    isProbing = true;
    const begun = performance.now();
    const isSilent = await isServerSilent(config);
    isProbing = false;
    answeredAt = performance.now();
    if (!isSilent) return;
    for (const [waiting, since] of asked) if (since < begun) waiting.giveUp();
  }

  function look(): void {
    looking = undefined;
    const now = performance.now();
    const oldest = Math.min(...asked.values());
    if (!isProbing && now - oldest > suspiciousMs && now - answeredAt > suspiciousMs) void probe();
    schedule();
  }

  function schedule(): void {
    if (asked.size > 0) looking ??= setTimeout(look, lookMs).unref();
  }

  return {
    begin(waiting) {
      asked.set(waiting, performance.now());
      schedule();
      return () => void asked.delete(waiting);
    },
  };
}

/**
 * Whether a server says nothing at all. One that refuses, such as because it has no connection left, is there. Time in which this process stood still does
 * not count: the answer may lie there unread.
 */
async function isServerSilent(config: ClientConfig): Promise<boolean> {
  const client = new ProbingClient({ ...config, application_name: 'media-search probe' });
  client.on('error', () => undefined);
  const ended = new AbortController();
  const ask = client
    .connect()
    .then(() => client.query('select 1'))
    .then(
      () => false,
      () => false,
    );
  const isSilent = await Promise.race([ask, waitFor(ended.signal)]);
  ended.abort();
  client.giveUp();
  return isSilent;
}

/** Waits as long as an answer may take, look by look: however late one is, it is one. */
async function waitFor(signal: AbortSignal): Promise<boolean> {
  for (let waited = 0; waited < answerMs && !signal.aborted; waited += lookMs)
    await delay(lookMs, undefined, { signal }).catch(() => undefined);
  return true;
}

/** A connection that waits for no farewell. */
class ProbingClient extends Client {
  giveUp(): void {
    this.connection.stream.destroy();
  }
}
