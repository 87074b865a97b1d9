import type { StreamedEvent, SubscribeOptions } from '../../clients/typescript/events.ts';

/** An event of the service, without the signs of the stream itself. */
export type ServiceEvent = Extract<StreamedEvent, { data: unknown }>;

type Source = {
  /** Loads what reads the stream, and opens it. */
  open: (options: SubscribeOptions) => Promise<AsyncIterable<StreamedEvent>>;
  /** Whether the page is visible and a person is signed in. */
  isWanted: () => boolean;
  /** Whether a failure of the stream ends it for the page, because the service has none or refuses the key. */
  isFinal: (error: unknown) => boolean;
};

type Listener = {
  /** Is told whether events come. */
  onLive: (live: boolean) => void;
  /** Takes events in their order. `gap`: there may have been others before them. */
  onEvents: (events: ServiceEvent[], gap: boolean) => void;
};

/** Events are collected for this time, so that a page renders once for many of them. */
const collectMs = 200;
/** After a failure to load what reads the stream. */
const failedMs = 30_000;

/**
 * The events of the workspace while the page is visible: a browser opens six connections to a host over HTTP/1.1, and a stream takes
 * one of them. A page that is looked at again goes on behind the last event that it got.
 */
export class EventStream {
  readonly #source: Source;
  readonly #listeners = new Set<Listener>();
  #running: AbortController | undefined;
  #lastEventId: string | null = null;
  #live = false;
  /** A proxy that holds streams back never lets anything through: then the answer alone says nothing. */
  #proven = false;
  #refused = false;
  #collected: ServiceEvent[] = [];
  #gap = false;
  #isCollecting = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Returns what ends it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens or closes the stream after the page was shown or hidden. */
  update(): void {
    const wanted = this.#source.isWanted() && !this.#refused;
    if (wanted && !this.#running) void this.#run();
    else if (!wanted) this.#stop();
  }

  /** Connects again, with another key where the person has changed. */
  restart(): void {
    this.#stop();
    this.#refused = false;
    this.update();
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#setLive(false);
  }

  async #run(): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running = controller;
    const onState = (live: boolean) => {
      if (!signal.aborted) this.#setLive(live && this.#proven);
    };
    try {
      const events = await this.#source.open({ signal, lastEventId: this.#lastEventId, onState });
      for await (const event of events) {
        if (signal.aborted) return;
        this.#take(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#refused = this.#source.isFinal(error);
      if (!this.#refused) setTimeout(() => this.update(), failedMs);
    } finally {
      if (this.#running === controller) this.#stop();
    }
  }

  #take(event: StreamedEvent): void {
    this.#lastEventId = event.lastEventId;
    this.#proven = true;
    this.#setLive(true);
    if (event.type === 'gap') this.#gap = true;
    else if (event.type !== 'ready') this.#collected.push(event);
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    setTimeout(() => this.#deliver(), collectMs);
  }

  #deliver(): void {
    this.#isCollecting = false;
    const [events, gap] = [this.#collected, this.#gap];
    [this.#collected, this.#gap] = [[], false];
    if (events.length > 0 || gap) for (const { onEvents } of this.#listeners) onEvents(events, gap);
  }

  #setLive(live: boolean): void {
    if (live === this.#live) return;
    this.#live = live;
    for (const { onLive } of this.#listeners) onLive(live);
  }
}
