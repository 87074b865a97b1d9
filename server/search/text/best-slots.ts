/** The best of many slots: a heap whose first is the least. */
export class BestSlots {
  #count: number;
  #slots: number[] = [];
  #evidence: number[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /** What another must reach to be among the best. */
  least = 0;

  offer(slot: number, evidence: number): void {
    if (this.#slots.length < this.#count) {
      this.#slots.push(slot);
      this.#evidence.push(evidence);
      this.#siftUp(this.#slots.length - 1);
    } else if (this.#count > 0 && this.#isAbove(evidence, slot, 0)) {
      this.#slots[0] = slot;
      this.#evidence[0] = evidence;
      this.#siftDown();
    }
    if (this.#slots.length === this.#count) this.least = this.#evidence[0] ?? Infinity;
  }

  sorted(): number[] {
    return this.#slots
      .map((slot, i) => ({ slot, evidence: this.#evidence[i] as number }))
      .toSorted((a, b) => b.evidence - a.evidence || b.slot - a.slot)
      .map(({ slot }) => slot);
  }

  #isAbove(evidence: number, slot: number, i: number): boolean {
    const other = this.#evidence[i] as number;
    return evidence > other || (evidence === other && slot > (this.#slots[i] as number));
  }

  #siftUp(from: number): void {
    for (let i = from; i > 0;) {
      const parent = (i - 1) >> 1;
      if (this.#isAbove(this.#evidence[i] as number, this.#slots[i] as number, parent)) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #siftDown(): void {
    for (let i = 0; ;) {
      let least = i;
      for (let child = 2 * i + 1; child <= 2 * i + 2 && child < this.#slots.length; child++) {
        if (this.#isAbove(this.#evidence[least] as number, this.#slots[least] as number, child)) least = child;
      }
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #swap(i: number, j: number): void {
    const [slot, evidence] = [this.#slots[i] as number, this.#evidence[i] as number];
    this.#slots[i] = this.#slots[j] as number;
    this.#evidence[i] = this.#evidence[j] as number;
    this.#slots[j] = slot;
    this.#evidence[j] = evidence;
  }
}
