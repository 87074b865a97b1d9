import type { Span } from './deduplicate.ts';

/** The evidence that chunks hold a step, 0..1, by their slots. */
export type StepScores = ReadonlyMap<number, number>;

/** The best sequence up to a chunk, by the place of its first chunk; and the last start of what goes on with it. */
type Chain = { span: Span; product: number; first: number; before: Chain | null; until: number };

/**
 * The best sequences of chunks in which each holds its step, begins when the one before has ended, and lies at most so many seconds behind it. No two of an
 * item overlap: of those that do the better one stays.
 * @param spans the chunks, in any order
 * @param steps two at least
 * @param within seconds that may lie between the end of a step and the start of the next
 * @returns slots by step, in no particular order
 */
export function findSequences(spans: Span[], steps: StepScores[], within: number): number[][] {
  const holding = spans.filter(({ slot }) => steps.some((step) => (step.get(slot) ?? 0) > 0));
  return [...Map.groupBy(holding, ({ item }) => item).values()].flatMap((ofItem) => findInItem(ofItem, steps, within));
}

/** A span may end a frame after the next one begins. */
const tolerance = 0.05;

/** The best sequence of an item, and those before and behind it. */
function findInItem(ofItem: Span[], steps: StepScores[], within: number): number[][] {
  if (ofItem.length < steps.length) return [];
  const chains = new ItemChains(ofItem, steps, within);
  const found: number[][] = [];
  for (let best = chains.best(); best; best = chains.best()) {
    found.push(slotsOf(best));
    chains.take(best);
  }
  return found;
}

function slotsOf({ span, before }: Chain): number[] {
  return before ? [...slotsOf(before), span.slot] : [span.slot];
}

/**
 * For each chunk of an item and each step, the best chain up to it. Where a sequence is taken, the chains before it stay as they are, and behind it only those
 * change that begin before its end; so only the chunks that such chains reach are solved again.
 */
class ItemChains {
  readonly #within: number;
  /** Chunks by their start; a place is one in this list. */
  readonly #ordered: Span[];
  /** Up to each place, the last end. */
  readonly #lastEnds: number[];
  /** Places in the order in which others may follow them, and for each place where in it those from there on begin. */
  readonly #ready: number[];
  readonly #readyFrom: number[];
  /** What chunks have of each step, by their place. */
  readonly #evidence: number[][];
  readonly #chains: (Chain | null)[][];
  /** Those of the last step. */
  readonly #whole: (Chain | null)[];
  /** A tree of places: of each two the one with the better whole chain; the best of all is at 1. */
  readonly #better: number[];
  /** The places at which what is taken begins and ends. */
  readonly #firstTaken = new Set<number>();
  readonly #lastTaken = new Set<number>();

  constructor(ofItem: Span[], steps: StepScores[], within: number) {
    this.#within = within;
    const ordered = ofItem.toSorted((a, b) => a.start - b.start);
    const places = [...ordered.keys()];
    this.#ordered = ordered;
    let last = -Infinity;
    this.#lastEnds = ordered.map(({ end }) => (last = Math.max(last, end)));
    const readyAt = ordered.map(({ start, end }) => Math.max(start, end - tolerance));
    this.#ready = places.toSorted((a, b) => (readyAt[a] as number) - (readyAt[b] as number) || a - b);
    this.#readyFrom = places.map(() => 0);
    for (const [rank, place] of this.#ready.entries()) this.#readyFrom[place] = rank;
    for (let place = places.length - 2; place >= 0; place--)
      this.#readyFrom[place] = Math.min(this.#readyFrom[place] as number, this.#readyFrom[place + 1] as number);
    this.#evidence = steps.map((step) => ordered.map(({ slot }) => step.get(slot) ?? 0));
    this.#chains = this.#evidence.map((evidence, step) =>
      ordered.map((span, place) => (step === 0 ? toChain(span, evidence[place] as number, place, null) : null)),
    );
    this.#whole = this.#chains.at(-1) as (Chain | null)[];
    this.#better = [...places, ...places];
    for (let node = places.length - 1; node >= 1; node--) this.#better[node] = this.#better[2 * node] as number;
    this.#solve(0, Infinity);
  }

  best(): Chain | null {
    return this.#whole[this.#better[1] as number] as Chain | null;
  }

  /** Takes a sequence, and with it all chunks that overlap it. */
  take(best: Chain): void {
    const { start: begin } = this.#ordered[best.first] as Span;
    const { start, end } = best.span;
    let behind = best.first + 1;
    for (; behind < this.#ordered.length; behind++) {
      const span = this.#ordered[behind] as Span;
      if (span.start > start && span.start >= end - tolerance) break;
    }
    const reach = this.#reachOf(behind);
    let place = behind - 1;
    for (; place >= 0; place--) {
      const span = this.#ordered[place] as Span;
      const isWithin = span.start >= begin;
      if (!isWithin && (this.#lastEnds[place] as number) <= begin + tolerance) break;
      if (!isWithin && span.end <= begin + tolerance) continue;
      for (const chains of this.#chains) chains[place] = null;
    }
    this.#compare(place + 1, behind);
    this.#firstTaken.add(best.first);
    this.#lastTaken.add(behind - 1);
    this.#solve(behind, reach);
  }

  /**
   * Finds the best chains that begin at a place or later.
   * @param reach the last start of what goes on with a chain from before that place
   */
  #solve(from: number, reach: number): void {
    const windows = this.#chains.slice(1).map(() => new BestOfLast());
    let rank = this.#readyFrom[from] as number;
    let end = from;
    for (let place = from, last = reach; place < this.#ordered.length && !this.#firstTaken.has(place); place++) {
      const span = this.#ordered[place] as Span;
      if (span.start > last) break;
      for (; rank < this.#ready.length; rank++) {
        const before = this.#ready[rank] as number;
        if (!mayFollow(this.#ordered[before] as Span, span)) break;
        if (before < from) continue;
        for (let step = 0; step < windows.length; step++)
          (windows[step] as BestOfLast).add((this.#chains[step] as (Chain | null)[])[before] as Chain | null);
      }
      for (let step = 1; step < this.#chains.length; step++) {
        const chains = this.#chains[step] as (Chain | null)[];
        const old = chains[place] as Chain | null;
        if (reach < Infinity && (!old || old.first >= from)) continue;
        const before = (windows[step - 1] as BestOfLast).best(span.start, this.#within);
        const evidence = (this.#evidence[step] as number[])[place] as number;
        const chain = before && toChain(span, before.product * evidence, before.first, before);
        chains[place] = chain;
        if (chain?.before) chain.before.until = Math.max(chain.before.until, span.start);
        if (old) last = Math.max(last, old.until);
        if (chains === this.#whole) end = place + 1;
      }
    }
    this.#compare(from, end);
  }

  /** The last start of what goes on with a chain from before a place. */
  #reachOf(behind: number): number {
    const first = (this.#ordered[behind]?.start ?? Infinity) - this.#within;
    let reach = -Infinity;
    for (let place = behind - 1; place >= 0 && (this.#lastEnds[place] as number) >= first - tolerance; place--) {
      if (this.#lastTaken.has(place)) break;
      for (const chains of this.#chains) reach = Math.max(reach, chains[place]?.until ?? reach);
    }
    return reach;
  }

  /** Brings the tree up to date for the places of a range. */
  #compare(from: number, end: number): void {
    if (from >= end) return;
    const tree = this.#better;
    const { length } = this.#ordered;
    for (let low = (from + length) >> 1, high = (end - 1 + length) >> 1; high >= 1; low >>= 1, high >>= 1)
      for (let node = high; node >= Math.max(1, low); node--) {
        const a = tree[2 * node] as number;
        const b = tree[2 * node + 1] as number;
        const lead = (this.#whole[a]?.product ?? 0) - (this.#whole[b]?.product ?? 0) || b - a;
        tree[node] = lead > 0 ? a : b;
      }
  }
}

const mayFollow = (before: Span, span: Span) => before.start < span.start && before.end - tolerance <= span.start;

/** A chain of evidence 0 is none. */
const toChain = (span: Span, product: number, first: number, before: Chain | null): Chain | null =>
  product > 0 ? { span, product, first, before, until: -Infinity } : null;

/** The best of the chains that ended last; of equal ones the last. Kept are those that no chain outdoes that ends later: by rising end and falling product. */
class BestOfLast {
  readonly #chains: Chain[] = [];
  #gone = 0;

  add(chain: Chain | null): void {
    if (!chain) return;
    const kept = this.#chains;
    let to = kept.length;
    while (to > this.#gone && (kept[to - 1] as Chain).span.end > chain.span.end) to--;
    if ((kept[to]?.product ?? 0) >= chain.product) return;
    let from = to;
    while (from > this.#gone && (kept[from - 1] as Chain).product <= chain.product) from--;
    kept.splice(from, to - from, chain);
  }

  /** @param start what follows; later calls have later ones */
  best(start: number, within: number): Chain | null {
    while (this.#gone < this.#chains.length && start - (this.#chains[this.#gone] as Chain).span.end > within)
      this.#gone++;
    return this.#chains[this.#gone] ?? null;
  }
}
