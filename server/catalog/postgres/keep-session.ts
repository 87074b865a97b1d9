import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Client } from 'pg';

/** A connection to PostgreSQL that is made again whenever it is lost. */
export type Session = { /** Ends the connection, and makes no other. */ stop(): Promise<void> };

type SessionParts = {
  url: string;
  /** What the connection is for, as `pg_stat_activity` and the log show it. */
  name: string;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Called with each new connection. When it rejects, the connection is given up and made again. */
  open: (client: Client) => Promise<void>;
  /** Called now and then, so that a connection whose other end is gone is found out. */
  beat: (client: Client) => Promise<void>;
  /** Called when a connection that `open` was called with is lost or ends. The next is made when it has resolved. */
  close: () => Promise<void>;
};

const beatIntervalMs = 2000;
/** The database is away when it does not answer for this long. */
const answerTimeoutMs = 10_000;
const firstRetryDelayMs = 100;
const maxRetryDelayMs = 5000;

/**
 * Keeps a connection of its own open, for what belongs to a session: locks and notifications.
 * Rejects when the first connection fails; later ones are tried until `stop`.
 */
export async function keepSession(parts: SessionParts): Promise<Session> {
  const stopping = new AbortController();
  const first = await connect(parts);
  const running = run(parts, first, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

type Connection = { client: Client; /** Resolves when the connection is lost. */ lost: Promise<unknown> };

async function run(parts: SessionParts, first: Connection, signal: AbortSignal): Promise<void> {
  let connection: Connection | undefined = first;
  let retryDelayMs = firstRetryDelayMs;
  for (;;) {
    if (connection) {
      retryDelayMs = firstRetryDelayMs;
      await hold(parts, connection, signal);
      connection = undefined;
    }
    if (signal.aborted) return;
    await delay(retryDelayMs, undefined, { signal }).catch(() => undefined);
    retryDelayMs = Math.min(2 * retryDelayMs, maxRetryDelayMs);
    if (signal.aborted) return;
    connection = await connect(parts).catch((error: unknown) => {
      parts.log.warn({ err: error, session: parts.name }, 'the database cannot be reached');
      return undefined;
    });
  }
}

/** Opens a connection. One that fails in between is closed. */
async function connect({ url, name, open, close }: SessionParts): Promise<Connection> {
  const { Client } = await import('pg');
  const client = new Client({
    connectionString: url,
    application_name: `media-search ${name}`,
    keepAlive: true,
    connectionTimeoutMillis: answerTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  const lost = new Promise((resolve) => {
    // Without a listener an error of an idle connection would end the process.
    client.on('error', resolve);
    client.on('end', () => resolve(undefined));
  });
  try {
    await client.connect();
    await open(client);
  } catch (error) {
    await close();
    void client.end().catch(() => undefined);
    throw error;
  }
  return { client, lost };
}

/** Beats until the connection is lost or `signal` is aborted; then closes it. */
async function hold(parts: SessionParts, { client, lost }: Connection, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const done = AbortSignal.any([ended.signal, signal]);
  const reason = lost.then((error) => {
    ended.abort();
    return error;
  });
  try {
    while (!done.aborted) {
      await delay(beatIntervalMs, undefined, { signal: done }).catch(() => undefined);
      if (!done.aborted) await parts.beat(client);
    }
    if (!signal.aborted) throw await reason;
  } catch (error) {
    if (!signal.aborted) parts.log.warn({ err: error, session: parts.name }, 'the connection to the database was lost');
  }
  await parts.close();
  // What ends with the session, such as a lock, has ended when `stop` resolves; one whose other end is gone is not waited for.
  await Promise.race([client.end().catch(() => undefined), delay(1000)]);
}
