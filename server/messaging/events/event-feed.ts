import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { EventType } from '../../../contract/events.ts';
import { findEventNumber, readLastEventNumber, readLastKeptId } from '../../catalog/events/events.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { runEvery } from '../../platform/periodic.ts';
import type { Notices } from '../pubsub/pubsub.ts';
import { createStreamCounter } from './count-streams.ts';
import { createEventStream, type EventStream, formatControl, heartbeat, retryHint } from './event-stream.ts';
import { WorkspaceStreams } from './workspace-streams.ts';

/** How often each stream gets something, so that proxies and clients see that it lives, milliseconds. The log is read then too: a notice may be lost. */
const heartbeatMs = 15_000;

/** What a client asks to be told. */
export type EventSubscription = {
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
  notices: Pick<Notices, 'subscribe' | 'onGap'>;
  log: Pick<FastifyBaseLogger, 'error'>;
}) {
  const { db, notices } = parts;
  const workspaces = new Map<string, WorkspaceStreams>();
  const counter = createStreamCounter();

  const readAll = () => {
    for (const each of workspaces.values()) void each.read();
  };
  const readOne = (workspaceId: string) => void workspaces.get(workspaceId)?.read();
  notices.subscribe('events', readOne);
  // A key may have been revoked.
  notices.subscribe('workspace', readOne);
  notices.onGap(readAll);
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
