import { longestMs } from './pause.ts';

/** Holds back the requests of a client after a refusal for their number: a key has one limit, so one pause holds for all of them. */
export class Throttle {
  #pausedUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  /** When the API takes requests again, in milliseconds of `Date.now`; 0: now. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Calls a listener when a pause begins, becomes longer, or ends. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Lets no request go to the API for so many seconds; a pause that lasts longer stays. */
  pause(seconds: number): void {
    const milliseconds = Math.min(1000 * seconds, longestMs);
    const until = Date.now() + milliseconds;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#pausedUntil = 0;
      this.#notify();
    }, milliseconds);
    this.#notify();
  }

  /** Resolves when the API takes requests. Throws the signal's reason when that aborts first. */
  whenAllowed(signal?: AbortSignal | null): Promise<void> {
    if (this.#pausedUntil === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const abort = () => {
        unsubscribe();
        reject(signal?.reason as Error);
      };
      const unsubscribe = this.subscribe(() => {
        if (this.#pausedUntil > 0) return;
        unsubscribe();
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
