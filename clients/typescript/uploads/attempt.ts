import { unreachable } from '../api-error.ts';

/** A connection on which nothing moves for so long is dead, milliseconds. */
const stalledMs = 120_000;

/** One attempt to send what is missing of an upload: how it ends, and that it does. */
export class Attempt<Result> {
  readonly result: Promise<Result>;
  isOver = false;
  #resolve!: (result: Result) => void;
  #reject!: (reason: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #stopRequests: () => void;

  /**
   * @param signal ends it with its reason
   * @param stopRequests is called when it ends before its requests do
   */
  constructor(signal: AbortSignal | undefined, stopRequests: () => void) {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#signal = signal;
    this.#stopRequests = stopRequests;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = (): void => this.stop(this.#signal?.reason);

  /** Says that something was sent or received. */
  noteLife(): void {
    clearTimeout(this.#timer);
    if (this.isOver) return;
    this.#timer = setTimeout(() => this.stop(unreachable(new Error('Nothing was sent or received.'))), stalledMs);
  }

  /** Calls a function of the caller. What it throws ends the attempt; the library would take it for a broken connection. */
  tell(report: () => void): void {
    try {
      report();
    } catch (error) {
      this.stop(error);
    }
  }

  succeed(result: Result): void {
    this.#end();
    this.#resolve(result);
  }

  fail(reason: unknown): void {
    this.#end();
    this.#reject(reason);
  }

  /** Fails before the requests have ended. */
  stop(reason: unknown): void {
    this.#stopRequests();
    this.fail(reason);
  }

  #end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }
}
