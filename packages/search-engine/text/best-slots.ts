/** What the texts of a slot hold of a query: terms as bits, and their relevance. */
export type HeldTerms = { slot: number; mask: number; relevance: number };

type Entry = HeldTerms & { evidence: number };

/** The slots with the most evidence, of equal ones the newest: a heap whose first is the least of them. */
export class BestSlots {
  #count: number;
  #entries: Entry[] = [];

  constructor(count: number) {
    this.#count = count;
    if (count === 0) this.least = Infinity;
  }

  /** What another must reach to be among the best. */
  least = 0;

  offer(entry: Entry): void {
    const entries = this.#entries;
    if (entries.length < this.#count) {
      entries.push(entry);
      this.#siftUp(entries.length - 1);
    } else if (entries[0] && isAbove(entry, entries[0])) {
      entries[0] = entry;
      this.#siftDown();
    }
    if (entries.length === this.#count) this.least = entries[0]?.evidence ?? Infinity;
  }

  /** The best first. */
  sorted(): HeldTerms[] {
    return this.#entries.toSorted((a, b) => b.evidence - a.evidence || b.slot - a.slot);
  }

  #siftUp(from: number): void {
    for (let i = from; i > 0;) {
      const parent = (i - 1) >> 1;
      if (!this.#isLess(i, parent)) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #siftDown(): void {
    for (let i = 0; ;) {
      let least = i;
      for (let child = 2 * i + 1; child <= 2 * i + 2 && child < this.#entries.length; child++) {
        if (this.#isLess(child, least)) least = child;
      }
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #isLess(i: number, j: number): boolean {
    return isAbove(this.#entries[j] as Entry, this.#entries[i] as Entry);
  }

  #swap(i: number, j: number): void {
    const entry = this.#entries[i] as Entry;
    this.#entries[i] = this.#entries[j] as Entry;
    this.#entries[j] = entry;
  }
}

const isAbove = (a: Entry, b: Entry): boolean =>
  a.evidence > b.evidence || (a.evidence === b.evidence && a.slot > b.slot);
