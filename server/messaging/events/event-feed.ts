import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { EventType } from '../../../contract/events.ts';
import { listActiveKeys } from '../../catalog/accounts/api-keys.ts';
import { findEventNumber, listEventsAfter, readLastEventNumber, readLastKeptId } from '../../catalog/events/events.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError } from '../../errors/api-error.ts';
import { runEvery } from '../../platform/periodic.ts';
import type { PubSub } from '../pubsub/pubsub.ts';
import {
  createEventStream,
  type EventStream,
  formatControl,
  formatEvents,
  heartbeat,
  retryHint,
} from './event-stream.ts';

/** How many streams one API key, and all together, may have at this process. A stream takes a connection and 65 KB of memory (measured with 1,000). */
const maxPerKey = 100;
const maxStreams = 2000;

/** Counts the streams of this process. */
function createStreamCounter() {
  const perKey = new Map<string, number>();
  let count = 0;
  return {
    count: () => count,

    /** Counts a stream. Throws `throttled` or `unavailable` where there are too many. @returns what ends that, to be called once */
    reserve(keyId: string): () => void {
      const ofKey = perKey.get(keyId) ?? 0;
      if (ofKey >= maxPerKey) {
        throw new ApiError('throttled', `This API key has ${maxPerKey} streams of events open, which is the limit.`, {
          headers: { 'Retry-After': '30' },
        });
      }
      if (count >= maxStreams) {
        throw new ApiError('unavailable', 'No more streams of events can be opened here. Try again in 10 seconds.', {
          headers: { 'Retry-After': '10' },
        });
      }
      perKey.set(keyId, ofKey + 1);
      count += 1;
      return () => {
        count -= 1;
        const left = (perKey.get(keyId) ?? 0) - 1;
        if (left > 0) perKey.set(keyId, left);
        else perKey.delete(keyId);
      };
    },
  };
}

/** How many events are read at once. */
const pageSize = 200;

/**
 * The streams of a workspace. The log is read once for all that are at its end; one that is behind reads by itself, no faster than its client does,
 * until it has caught up.
 */
class WorkspaceStreams {
  readonly streams = new Set<EventStream>();
  readonly #db: Catalog;
  readonly #log: Pick<FastifyBaseLogger, 'error'>;
  readonly #workspaceId: string;
  /** The number up to which the log is read. */
  #at: number;
  #isReading = false;
  /** The log has more since it was read. */
  #again = false;

  constructor({ db, log }: { db: Catalog; log: Pick<FastifyBaseLogger, 'error'> }, workspaceId: string, at: number) {
    this.#db = db;
    this.#log = log;
    this.#workspaceId = workspaceId;
    this.#at = at;
  }

  /** Sends a stream what it has missed and then what is new, until it closes. */
  add(stream: EventStream): void {
    this.streams.add(stream);
    stream.readable.once('close', () => this.streams.delete(stream));
    void this.#catchUp(stream);
  }

  /** Reads what is new, one reading at a time. A failure is logged; the next notice or heartbeat tries again. */
  async read(): Promise<void> {
    this.#again = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#again && this.streams.size > 0) {
        this.#again = false;
        await this.#readPage();
        // SQLite answers at once, and other requests wait meanwhile.
        await setImmediate();
      }
    } catch (error) {
      this.#log.error({ err: error }, 'the events of a workspace were not read');
    } finally {
      this.#isReading = false;
    }
  }

  async #readPage(): Promise<void> {
    const events = await listEventsAfter(this.#db, this.#workspaceId, this.#at, pageSize);
    // After they are read: what was recorded when a key was revoked already is not for it.
    await this.#endRevoked();
    const last = events.at(-1);
    if (!last) return;
    this.#at = last.number;
    const formatted = formatEvents(events);
    for (const stream of this.streams) {
      if (!stream.isAtEnd) continue;
      stream.send(formatted);
      if (stream.isFull()) void this.#catchUp(stream);
    }
    if (events.length === pageSize) this.#again = true;
  }

  /** Ends the streams of keys that are no longer active. */
  async #endRevoked(): Promise<void> {
    const keyIds = new Set([...this.streams].map(({ keyId }) => keyId));
    const active = new Set(await listActiveKeys(this.#db, this.#workspaceId, [...keyIds]));
    for (const { keyId, readable } of this.streams) if (keyIds.has(keyId) && !active.has(keyId)) readable.destroy();
  }

  async #catchUp(stream: EventStream): Promise<void> {
    stream.isAtEnd = false;
    try {
      await this.#sendMissed(stream);
    } catch (error) {
      this.#log.error({ err: error }, 'events were not read');
      stream.readable.destroy();
    }
  }

  async #sendMissed(stream: EventStream): Promise<void> {
    await stream.drained();
    while (stream.at < this.#at && !stream.readable.destroyed) {
      const known = this.#at;
      const events = await listEventsAfter(this.#db, this.#workspaceId, stream.at, pageSize);
      await this.#endRevoked();
      stream.send(formatEvents(events));
      // What is not there any more was progress.
      if (events.length < pageSize) stream.at = Math.max(stream.at, known);
      await stream.drained();
    }
    // In one step with the comparison: whatever is read from now on comes to all.
    stream.isAtEnd = true;
    void this.read();
  }
}

/** How often each stream gets something, so that proxies and clients see that it lives, milliseconds. The log is read then too: a notice may be lost. */
const heartbeatMs = 15_000;

/** What a client asks to be told. */
type EventSubscription = {
  workspaceId: string;
  keyId: string;
  /** The last event that the client has; null: the stream begins now. */
  lastEventId: string | null;
  /** Null: all. */
  types: ReadonlySet<EventType> | null;
};

export type EventFeed = ReturnType<typeof createEventFeed>;

/** Sends the events of the log to the streams of this process. Notices only say that there is more; it is read from the log, in its order. */
export function createEventFeed(parts: {
  db: Catalog;
  pubsub: Pick<PubSub, 'subscribe' | 'onGap'>;
  log: Pick<FastifyBaseLogger, 'error'>;
}) {
  const { db, pubsub } = parts;
  const workspaces = new Map<string, WorkspaceStreams>();
  const counter = createStreamCounter();

  const readAll = () => {
    for (const each of workspaces.values()) void each.read();
  };
  const readOne = (workspaceId: string) => void workspaces.get(workspaceId)?.read();
  pubsub.subscribe('events', readOne);
  // A key may have been revoked.
  pubsub.subscribe('workspace', readOne);
  pubsub.onGap(readAll);
  const beat = () => {
    for (const { streams } of workspaces.values()) for (const stream of streams) heartbeat(stream);
    readAll();
  };
  const beating = runEvery(heartbeatMs, beat, 'the heartbeat of streams', parts.log, { atOnce: false });

  /** Adds a stream to those of its workspace. @param at the number up to which the log is read where it is the first */
  function follow(workspaceId: string, stream: EventStream, at: number): void {
    const ofWorkspace = workspaces.get(workspaceId) ?? new WorkspaceStreams(parts, workspaceId, at);
    workspaces.set(workspaceId, ofWorkspace);
    ofWorkspace.add(stream);
    stream.readable.once('close', () => {
      if (ofWorkspace.streams.size === 0 && workspaces.get(workspaceId) === ofWorkspace) workspaces.delete(workspaceId);
    });
  }

  return {
    /**
     * A stream of events, for as long as it is read. What is recorded from the moment on at which this resolves is in it.
     * Throws `throttled` or `unavailable` where there are too many.
     */
    async open(subscription: EventSubscription): Promise<Readable> {
      const release = counter.reserve(subscription.keyId);
      try {
        const { stream, end } = await beginStream(db, subscription);
        stream.readable.once('close', release);
        follow(subscription.workspaceId, stream, end);
        return stream.readable;
      } catch (error) {
        release();
        throw error;
      }
    },

    /** How many streams are open. */
    count: counter.count,

    /** Ends all streams: their clients come back, to another process or later. */
    stop(): void {
      void beating.stop();
      for (const { streams } of workspaces.values()) for (const stream of streams) stream.end();
    },
  };
}

/** A stream that says where it begins. @returns it, and the number up to which the log had events then */
async function beginStream(
  db: Catalog,
  { workspaceId, keyId, lastEventId, types }: EventSubscription,
): Promise<{ stream: EventStream; end: number }> {
  const end = await readLastEventNumber(db, workspaceId);
  const known = lastEventId === null ? undefined : await findEventNumber(db, workspaceId, lastEventId);
  const stream = createEventStream({ keyId, types, at: known ?? end });
  stream.push(retryHint);
  if (known === undefined) {
    stream.push(formatControl(lastEventId === null ? 'ready' : 'gap', await readLastKeptId(db, workspaceId, end)));
  }
  return { stream, end };
}
