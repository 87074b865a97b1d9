/** How much of all uploads is done. Bytes count for sending; for indexing each file counts its bytes and a constant besides. */
export type Work = { sent: number; toSend: number; indexed: number; toIndex: number };

type Sample = { at: number; sent: number; indexed: number };

/** Speeds are measured over this time, ms, and not told before the second one has passed. */
const windowMs = 60_000;
const minMs = 5000;
/** How much of a new estimate is taken over each time, so that the end moves and does not jump. */
const weight = 0.2;

/** Estimates when uploads are sent and indexed, from how fast both were within the last minute. */
export class TimeLeft {
  #samples: Sample[] = [];
  #end: number | null = null;

  /**
   * Takes how much is done now; about once a second.
   * @param now milliseconds
   * @returns seconds, or null while that cannot be known
   */
  update(now: number, { sent, toSend, indexed, toIndex }: Work): number | null {
    // Files were removed: what is done went back.
    const last = this.#samples.at(-1);
    if (last && (sent < last.sent || indexed < last.indexed)) this.reset();
    this.#samples = [...this.#samples.filter(({ at }) => now - at <= windowMs), { at: now, sent, indexed }];
    const first = this.#samples[0] ?? { at: now, sent, indexed };
    const passed = now - first.at;
    if (passed < minMs) return null;
    // While one is sent the other goes on, so the slower one decides.
    const left = Math.max(
      timeFor(toSend - sent, (sent - first.sent) / passed),
      timeFor(toIndex - indexed, (indexed - first.indexed) / passed),
    );
    if (!Number.isFinite(left)) return null;
    this.#end = this.#end === null ? now + left : this.#end + weight * (now + left - this.#end);
    return Math.max(0, this.#end - now) / 1000;
  }

  /** Begins again, as after a pause, whose time says nothing. */
  reset(): void {
    this.#samples = [];
    this.#end = null;
  }
}

/** Milliseconds for an amount at a speed; infinite when nothing moves. */
const timeFor = (amount: number, perMs: number): number => (amount <= 0 ? 0 : amount / perMs);
