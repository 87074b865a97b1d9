import { Readable } from 'node:stream';
import type { EventType } from '../../../contract/events.ts';
import type { LoggedEvent } from '../../catalog/events/events.ts';

/** How long a client waits before it asks again, which the stream tells it at its beginning. */
export const retryHint = 'retry: 2000\n\n';

/** An event as it goes over the wire. */
type FormattedEvent = {
  number: number;
  type: EventType;
  /** What a client resumes from after it; null: progress leaves the log, so no client can resume from it. */
  lastEventId: string | null;
  text: string;
};

const formatId = (id: string | null): string => (id === null ? '' : `id: ${id}\n`);

/** Events in the format of HTML, 9.2 (server-sent events). */
export function formatEvents(events: LoggedEvent[]): FormattedEvent[] {
  return events.map(({ number, ...event }) => {
    const { id, type } = event;
    const lastEventId = type === 'media.progress' ? null : id;
    return {
      number,
      type,
      lastEventId,
      text: `${formatId(lastEventId)}event: ${type}\ndata: ${JSON.stringify(event)}\n\n`,
    };
  });
}

/** What a stream says of itself. @param id of the event that it resumes from; null: there is none */
export const formatControl = (type: 'ready' | 'gap', id: string | null): string =>
  `${formatId(id)}event: ${type}\ndata: {}\n\n`;

export type EventStream = ReturnType<typeof createEventStream>;

/** One client's stream. @param at the number of the last event that it has */
export function createEventStream({
  keyId,
  types,
  at,
}: {
  keyId: string;
  types: ReadonlySet<EventType> | null;
  at: number;
}) {
  let onDrained: (() => void) | undefined;
  const release = () => {
    stream.isStuck = false;
    onDrained?.();
    onDrained = undefined;
  };
  const readable = new Readable({ read: release });
  readable.once('close', release);
  const stream = {
    keyId,
    readable,
    at,
    /** It has what the other streams of its workspace have, and gets with them what is new. */
    isAtEnd: false,
    /** It has read nothing since the last heartbeat, and something waits for it. */
    isStuck: false,
    /** What the client can resume from and was not told: of an event that it did not ask for. The next heartbeat tells it. */
    unsentEventId: null as string | null,

    push(text: string): void {
      if (readable.destroyed || readable.readableEnded) return;
      readable.push(text);
    },

    /** Sends those of some events, in the order of their numbers, that it does not have and that were asked for. */
    send(events: FormattedEvent[]): void {
      const fresh = events.filter(({ number }) => number > stream.at);
      const wanted = fresh.filter(({ type }) => types === null || types.has(type));
      stream.at = Math.max(stream.at, events.at(-1)?.number ?? 0);
      const last = fresh.findLast(({ lastEventId }) => lastEventId !== null);
      if (last) stream.unsentEventId = wanted.includes(last) ? null : last.lastEventId;
      if (wanted.length > 0) stream.push(wanted.map(({ text }) => text).join(''));
    },

    /** More waits for the client than should. */
    isFull: (): boolean => readable.readableLength >= readable.readableHighWaterMark,

    /** Resolves when the client has read what was sent, or is gone. */
    drained: (): Promise<void> =>
      readable.destroyed || !stream.isFull() ? Promise.resolve() : new Promise((resolve) => (onDrained = resolve)),

    end(): void {
      readable.push(null);
    },
  };
  return stream;
}

/** Shows that the connection lives. A client that has not read what waited for it at the last one is cut off: it can resume from the log. */
export function heartbeat(stream: EventStream): void {
  const waits = stream.readable.readableLength > 0;
  if (waits && stream.isStuck) stream.readable.destroy();
  stream.isStuck = waits;
  if (waits) return;
  // An identifier alone is no event, but the client keeps it: it can resume also when what it asked for comes more rarely than the log is kept.
  stream.push(stream.unsentEventId === null ? ':\n\n' : `${formatId(stream.unsentEventId)}\n`);
  stream.unsentEventId = null;
}
