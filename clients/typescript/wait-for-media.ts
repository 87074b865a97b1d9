import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { subscribeToEvents } from './events.ts';
import type { MediaItem } from './generated/index.ts';
import { pause } from './pause.ts';
import { readStates } from './read-states.ts';

/** What is heard of an item on its way. */
export type WatchedMedia = Pick<MediaItem, 'id' | 'filename' | 'type' | 'status' | 'progress' | 'error'>;

export type WaitOptions = {
  /** Ends the waiting; the promise is rejected with its reason. */
  signal?: AbortSignal;
  /** Is told of an item when something is heard of it. */
  onProgress?: (item: WatchedMedia) => void;
};

/** Time between two questions while there is no stream of events, milliseconds: longer the longer nothing settles. */
const firstPollMs = 500;
const maxPollMs = 5000;
/** With a stream all items are asked for so often, in case that an event was lost on its way. */
const livePollMs = 30_000;
/** A service that is away for so long is given up. */
const maxAwayMs = 5 * 60_000;

/**
 * Waits until items are indexed or have failed (`status`): by the stream of events, or by asking again and again where that cannot be had.
 * A service that restarts meanwhile is waited for, up to five minutes.
 * @returns the items by their identifiers, in the order given; null for one that was deleted
 * @throws ApiError when the service refuses the requests or stays away, and the signal's reason when that aborts
 */
export async function waitForMedia(
  client: Client,
  ids: Iterable<string>,
  { signal, onProgress = () => {} }: WaitOptions = {},
): Promise<Map<string, MediaItem | null>> {
  const results = new Map<string, MediaItem | null>(Array.from(ids, (id) => [id, null]));
  const wait = new Wait(results.keys());
  const watching = new AbortController();
  const follow = followEvents(client, watching.signal, wait, onProgress);
  try {
    for (let pollMs = firstPollMs, awaySince = 0; wait.open.size > 0;) {
      try {
        const states = await readStates(client, wait.takeUnread(), signal);
        awaySince = 0;
        for (const item of states.items) {
          if (wait.open.has(item.id)) onProgress(item);
          if (isUnderWay(item)) continue;
          results.set(item.id, item);
          wait.settle(item.id);
          pollMs = firstPollMs;
        }
        for (const id of states.missing) wait.settle(id);
      } catch (error) {
        awaySince ||= Date.now();
        if (signal?.aborted || !mayPass(error) || Date.now() - awaySince > maxAwayMs) throw error;
      }
      if (wait.open.size > 0) await wait.pause(pollMs, signal);
      pollMs = Math.min(maxPollMs, pollMs * 1.5);
    }
  } finally {
    watching.abort();
    await follow;
  }
  return results;
}

const isUnderWay = ({ status }: Pick<MediaItem, 'status'>): boolean => status === 'pending' || status === 'indexing';

const mayPass = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Which items are not settled, and which of them have to be read. */
class Wait {
  readonly open: Set<string>;
  readonly #unread: Set<string>;
  /** Whether a stream says when something happens. */
  live = false;
  #wake = () => {};

  constructor(ids: Iterable<string>) {
    this.open = new Set(ids);
    this.#unread = new Set(this.open);
  }

  settle(id: string): void {
    this.open.delete(id);
    this.#unread.delete(id);
  }

  /** Says that items may be settled: one, or any. */
  note(...ids: string[]): void {
    for (const id of ids.length > 0 ? ids : this.open) if (this.open.has(id)) this.#unread.add(id);
    if (this.#unread.size > 0) this.#wake();
  }

  /** The items to read: all where nothing says which. */
  takeUnread(): string[] {
    const taken = this.#unread.size > 0 ? [...this.#unread] : [...this.open];
    this.#unread.clear();
    return taken;
  }

  /** Resolves when items are to be read. */
  async pause(pollMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#unread.size > 0) return;
    const woken = new AbortController();
    const stop = () => woken.abort();
    this.#wake = stop;
    signal?.addEventListener('abort', stop, { once: true });
    await pause(this.live ? livePollMs : pollMs, woken.signal).catch(() => undefined);
    signal?.removeEventListener('abort', stop);
    signal?.throwIfAborted();
  }
}

/** Notes what a stream of events tells, until the signal aborts. Where it cannot be had, asking goes on. */
async function followEvents(
  client: Client,
  signal: AbortSignal,
  wait: Wait,
  onProgress: (item: WatchedMedia) => void,
): Promise<void> {
  const onState = (live: boolean) => {
    if (live) return;
    wait.live = false;
    wait.note();
  };
  const types = ['media.progress', 'media.completed', 'media.failed', 'media.deleted'] as const;
  try {
    for await (const event of subscribeToEvents(client, { types, signal, onState })) {
      wait.live = true;
      if (event.type === 'ready' || event.type === 'gap') wait.note();
      else if ('media' in event.data && 'status' in event.data.media) {
        const { media } = event.data;
        if (event.type !== 'media.progress') wait.note(media.id);
        else if (wait.open.has(media.id)) onProgress(media);
      }
    }
  } catch (error) {
    wait.live = false;
    if (!(error instanceof ApiError)) throw error;
  }
}
