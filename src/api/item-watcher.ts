import type { MediaItem } from './generated/api/index.ts';
import { isUnderWay, pollInterval } from './poll-interval.ts';

/** What is known of an item: all of it as it was read, or what an event says. */
export type ItemState = Pick<MediaItem, 'id' | 'status' | 'progress' | 'error'> & Partial<MediaItem>;

/** What was heard of items. */
export type WatchReport = {
  items: ItemState[];
  /** Identifiers of those that are gone. */
  missing: string[];
};

export type WatchSource = {
  /** Reads items by their identifiers, in one request. */
  read: (ids: string[]) => Promise<{ items: MediaItem[]; missing: string[] }>;
  /** Identifiers of items that the page shows: of those under way, and of those of which texts are read, which no event tells of. */
  listShown: () => { underWay: string[]; reading: string[] };
  isHidden: () => boolean;
};

/** The first of those that wait, which are indexed next, and how many of the others in turn: a request has some 50 kB at most. */
const headLength = 40;
const turnLength = 10;
/** After a failure. That the service is away is noticed elsewhere. */
const failedMs = 5000;
/** While events come, what they name is read at most so often. */
const dueMs = 3000;
/** Settled items that are remembered: an answer from before may come after its event. */
const maxSettled = 2000;

/**
 * Asks for the state of all items that are waited for, by one request at a time, until they are settled. Of many it asks for the first
 * ones each time, because items are indexed in the order in which they came, and for some of the others in turn. While events come it asks
 * only for what those do not say.
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
  #live = false;
  /** Items to be read once although events come. */
  readonly #due = new Set<string>();
  #dueAt = 0;
  /** Items that events settled. */
  readonly #settled = new Set<string>();

  constructor(source: WatchSource) {
    this.#source = source;
  }

  /** Calls back after each request. Returns what ends that. */
  subscribe(listener: (report: WatchReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Asks for an item until it is settled, whether it is shown or not.
   * @param isNew whether it was added just now, so that events tell all of it
   */
  watch(id: string, isNew = false): void {
    this.#watched.add(id);
    if (isNew && !this.#settled.has(id)) this.wake();
    else this.readOnce([id]);
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
  }

  /** Starts asking unless it does already: something that is shown may be under way. */
  wake(): void {
    if (this.#timer === undefined && !this.#reading) this.#schedule();
  }

  /** Says whether events come. When they begin all is asked for once: nothing is known of the time before. */
  setLive(live: boolean): void {
    this.#live = live;
    this.#due.clear();
    if (live) for (const id of this.#listOpen()) this.#due.add(id);
    this.#settled.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueAt = 0;
    this.wake();
  }

  /** Reads items once, soon: an event told of them, and not all that is shown. */
  readOnce(ids: readonly string[]): void {
    if (this.#live) {
      for (const id of ids) this.#due.add(id);
      // Not when it is time for texts.
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.wake();
  }

  /** Takes what events say. */
  note(report: WatchReport): void {
    for (const item of report.items) {
      if (isUnderWay(item)) this.#settled.delete(item.id);
      else this.#settled.add(item.id);
    }
    for (const id of this.#settled) {
      if (this.#settled.size <= maxSettled) break;
      this.#settled.delete(id);
    }
    this.#report(report);
  }

  /** Asks at once, after the page was hidden. */
  hurry(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), 0);
  }

  /** Whether nothing is waited for. */
  isIdle(): boolean {
    return this.#listOpen().length === 0;
  }

  #listOpen(): string[] {
    const { underWay, reading } = this.#source.listShown();
    return [...new Set([...this.#watched, ...underWay, ...reading])];
  }

  /** What is asked for: all that is open, or while events come what they do not say. */
  #listAsked(): string[] {
    if (!this.#live) return this.#listOpen();
    const { underWay, reading } = this.#source.listShown();
    // They are settled, and an answer from before says otherwise.
    for (const id of [...this.#watched, ...underWay]) if (this.#settled.has(id)) this.#due.add(id);
    return [...new Set([...this.#due, ...reading])];
  }

  #schedule(delayMs?: number): void {
    const asked = this.#listAsked();
    if (asked.length === 0) {
      if (!this.#live) this.#known.clear();
      return;
    }
    const known = asked.flatMap((id) => this.#known.get(id) ?? []);
    const wait = this.#live && this.#due.size > 0 ? Math.max(0, this.#dueAt - Date.now()) : undefined;
    this.#timer = setTimeout(() => void this.#ask(), delayMs ?? wait ?? pollInterval(known, this.#source.isHidden()));
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    const ids = this.#chooseIds();
    if (ids.length === 0) return;
    this.#reading = true;
    if (this.#due.size > 0) this.#dueAt = Date.now() + dueMs;
    try {
      const report = await this.#source.read(ids);
      for (const item of report.items) {
        this.#known.set(item.id, item);
        if (isUnderWay(item)) this.#settled.delete(item.id);
      }
      for (const id of ids) this.#due.delete(id);
      this.#report(report);
      this.#reading = false;
      this.#schedule();
    } catch {
      this.#reading = false;
      this.#schedule(failedMs);
    }
  }

  #chooseIds(): string[] {
    const open = this.#listAsked();
    const rest = open.slice(headLength);
    if (this.#turn >= rest.length) this.#turn = 0;
    const turn = rest.slice(this.#turn, this.#turn + turnLength);
    this.#turn += turnLength;
    return [...open.slice(0, headLength), ...turn];
  }

  #report(report: WatchReport): void {
    for (const item of report.items) if (!isUnderWay(item)) this.#watched.delete(item.id);
    for (const id of report.missing) this.#watched.delete(id);
    for (const listener of this.#listeners) listener(report);
  }
}
