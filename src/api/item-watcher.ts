import type { MediaItem } from './generated/api/index.ts';
import { isUnderWay, pollInterval } from './poll-interval.ts';

/** What was heard of the items that were asked for. */
export type WatchReport = {
  items: MediaItem[];
  /** Identifiers of those that are gone. */
  missing: string[];
};

export type WatchSource = {
  /** Reads items by their identifiers, in one request. */
  read: (ids: string[]) => Promise<WatchReport>;
  /** Identifiers of the items under way that the page shows. */
  listShown: () => string[];
  isHidden: () => boolean;
};

/** The first of those that wait, which are indexed next, and how many of the others in turn: a request has some 50 kB at most. */
const headLength = 40;
const turnLength = 10;
/** After a failure. That the service is away is noticed elsewhere. */
const failedMs = 5000;

/**
 * Asks for the state of all items that somebody waits for, by one request at a time, until they are settled. Of many it asks for the first
 * ones each time, because items are indexed in the order in which they came, and for some of the others in turn.
 */
export class ItemWatcher {
  readonly #source: WatchSource;
  readonly #listeners = new Set<(report: WatchReport) => void>();
  /** Items that were asked for by name, with what is known of them. */
  readonly #watched = new Set<string>();
  readonly #known = new Map<string, MediaItem>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading = false;
  #turn = 0;

  constructor(source: WatchSource) {
    this.#source = source;
  }

  /** Calls back after each request. Returns what ends that. */
  subscribe(listener: (report: WatchReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks for an item until it is settled, whether it is shown or not. */
  watch(id: string): void {
    this.#watched.add(id);
    this.wake();
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
  }

  /** Starts asking unless it does already: something that is shown may be under way. */
  wake(): void {
    if (this.#timer === undefined && !this.#reading) this.#schedule();
  }

  /** Asks at once, after the page was hidden. */
  hurry(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), 0);
  }

  /** Whether nobody waits for anything. */
  isIdle(): boolean {
    return this.#listOpen().length === 0;
  }

  #listOpen(): string[] {
    return [...new Set([...this.#watched, ...this.#source.listShown()])];
  }

  #schedule(delayMs?: number): void {
    const open = this.#listOpen();
    if (open.length === 0) {
      this.#known.clear();
      return;
    }
    const known = open.flatMap((id) => this.#known.get(id) ?? []);
    this.#timer = setTimeout(() => void this.#ask(), delayMs ?? pollInterval(known, this.#source.isHidden()));
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    const ids = this.#chooseIds();
    if (ids.length === 0) return;
    this.#reading = true;
    try {
      this.#report(await this.#source.read(ids));
      this.#reading = false;
      this.#schedule();
    } catch {
      this.#reading = false;
      this.#schedule(failedMs);
    }
  }

  #chooseIds(): string[] {
    const open = this.#listOpen();
    const rest = open.slice(headLength);
    if (this.#turn >= rest.length) this.#turn = 0;
    const turn = rest.slice(this.#turn, this.#turn + turnLength);
    this.#turn += turnLength;
    return [...open.slice(0, headLength), ...turn];
  }

  #report(report: WatchReport): void {
    for (const item of report.items) {
      this.#known.set(item.id, item);
      if (!isUnderWay(item)) this.#watched.delete(item.id);
    }
    for (const id of report.missing) this.#watched.delete(id);
    for (const listener of this.#listeners) listener(report);
  }
}
