/** What an asset costs beside its bytes, as bytes: requests, hashing, labels. */
const eachBytes = 250_000;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something of many files takes, by what it took so far. */
export class TimeLeft {
  readonly #began = performance.now();
  readonly total: { files: number; bytes: number };
  readonly done = { files: 0, bytes: 0 };

  /** @param total what there is to do */
  constructor(total: { files: number; bytes: number }) {
    this.total = total;
  }

  add(bytes: number): void {
    this.done.files++;
    this.done.bytes += bytes;
  }

  /** Seconds; null before there is anything to go by. */
  seconds(): number | null {
    const [done, total] = [this.done, this.total].map(({ files, bytes }) => files * eachBytes + bytes) as [
      number,
      number,
    ];
    if (done === 0) return null;
    return ((performance.now() - this.#began) / 1000) * (total / done - 1);
  }

  /** Such as `12 of 340, 5 min left`. */
  describe(): string {
    const seconds = this.seconds();
    const left = seconds === null ? '' : `, ${describeSeconds(seconds)} left`;
    return `${this.done.files} of ${this.total.files}${left}`;
  }
}

/** A time as an estimate, so short that a bar has room for it: `5 min`. */
export function describeSeconds(seconds: number): string {
  if (seconds < minute) return '< 1 min';
  if (seconds < 1.5 * hour) return `${Math.round(seconds / minute)} min`;
  if (seconds < 2 * day) return `${Math.round(seconds / hour)} h`;
  return `${Math.round(seconds / day)} days`;
}
