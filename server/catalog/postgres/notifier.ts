import type { Pool } from 'pg';

/**
 * What a process tells the others (`server/messaging/pubsub/`), for all of its connections. A transaction that has called NOTIFY takes a lock of the
 * whole database until its commit is on the disk, so that one commit would wait for the other. So triggers, and `tell_processes`, only say it to their
 * own connection, by a message of the level INFO. What a connection heard is passed on when its transaction is committed, and sent by one NOTIFY of
 * the process: at once where it is quiet, and gathered for a moment where it is not.
 *
 * A process that is killed within that moment tells nothing. Whoever waits for a notice looks by himself too: workers and deliveries every 5 seconds,
 * exports every second, uploads every half, streams of events every 15.
 */

/** The channel of PostgreSQL that carries all notices. */
export const noticeChannel = 'media_search';

/** What messages of ours begin with; the notice follows. */
const prefix = 'media_search ';

/** Between two NOTIFY of a process, milliseconds. */
const gatherMs = 200;
/** After one that failed: the database is away, and listeners look at everything when it is back. */
const retryMs = 1000;
/** More at once are not kept while the database is away. */
const maxKept = 10_000;

/** @returns what a message of the server tells other processes; null: it is another message. Its level is in the language of the server. */
export const noticeOf = ({ message = '' }: { message?: string | undefined }) =>
  message.startsWith(prefix) ? message.slice(prefix.length) : null;

export type Notifier = {
  /** Passes on what a transaction that is committed tells. */
  tell(notices: Iterable<string>): void;
  /** Sends what waits. */
  stop(): Promise<void>;
};

/** @param pool sends them */
export function createNotifier(pool: Pick<Pool, 'query'>): Notifier {
  let waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | null = null;
  let quietFrom = 0;
  let isStopped = false;

  async function send(): Promise<void> {
    const notices = [...waiting];
    waiting = new Set();
    if (notices.length === 0) return;
    quietFrom = performance.now() + gatherMs;
    try {
      await pool.query(`select pg_notify($1, notice) from unnest($2::text[]) notice`, [noticeChannel, notices]);
    } catch {
      quietFrom = performance.now() + retryMs;
      waiting = new Set([...notices, ...waiting].slice(0, maxKept));
    }
  }

  function schedule(): void {
    if (isStopped || sending || timer || waiting.size === 0) return;
    const begin = () => {
      timer = undefined;
      sending = send().finally(() => {
        sending = null;
        schedule();
      });
    };
    const wait = quietFrom - performance.now();
    if (wait <= 0) begin();
    else timer = setTimeout(begin, wait);
    timer?.unref();
  }

  return {
    tell(notices) {
      for (const notice of notices) waiting.add(notice);
      schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await sending;
      await send();
    },
  };
}
