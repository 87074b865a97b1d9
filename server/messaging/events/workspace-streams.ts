import { setImmediate } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { listActiveKeys } from '../../catalog/accounts/api-keys.ts';
import { listEventsAfter } from '../../catalog/events/events.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { type EventStream, formatEvents } from './event-stream.ts';

/** How many events are read at once. */
const pageSize = 200;

/**
 * The streams of a workspace. The log is read once for all that are at its end; one that is behind reads by itself, no faster than its client does,
 * until it has caught up.
 */
export class WorkspaceStreams {
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
