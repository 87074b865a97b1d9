import type { TextSource } from '../../../contract/texts.ts';
import { filenameTokens, tokensOf } from './analyse-text.ts';
import { indexTerms, share, stepSize, type UnsortedPostings } from './index-terms.ts';
import type { IndexedTexts, TextSegment } from './text-segment.ts';
import { sourceBit, sourceWeights, weightUnit } from './text-sources.ts';

const maxWeight = 255;
const maxLength = 65_535;

/**
 * Indexes the texts of adjacent slots. It yields every few milliseconds, so that the caller can do other things meanwhile; `runToEnd` does
 * not.
 * @param firstSlot the slot of the first texts; the others follow
 * @param weights what an occurrence counts; the benchmarks try others
 */
export function* buildTextSegment(
  firstSlot: number,
  texts: IndexedTexts[],
  weights = sourceWeights,
): Generator<void, TextSegment> {
  const postings = new PostingBuffer();
  const countedAs = toCounted(weights);
  const lengths = share(Uint16Array, texts.length);
  let totalLength = 0;
  let work = 0;
  /** The chunks of an item follow each other and share these. */
  let shared = { filename: '', tags: '', named: [] as number[], tagged: [] as number[] };
  for (const [slot, { texts: own, filename, tags }] of texts.entries()) {
    postings.startSlot(slot);
    let length = 0;
    for (const { source, text } of own) {
      const counted = countedAs[source];
      for (const token of tokensOf(text)) {
        postings.add(postings.idOf(token), counted);
        if (++length % 1024 === 0) yield;
      }
    }
    if (slot === 0 || filename !== shared.filename || tags !== shared.tags) {
      const tagged: number[] = [];
      for (const token of tokensOf(tags)) {
        if (tagged.push(postings.idOf(token)) % 1024 === 0) yield;
      }
      shared = { filename, tags, named: filenameTokens(filename).map((token) => postings.idOf(token)), tagged };
    }
    for (const term of shared.named) postings.add(term, countedAs.filename);
    for (const term of shared.tagged) postings.add(term, countedAs.tag);
    length += shared.named.length + shared.tagged.length;
    lengths[slot] = Math.min(length, maxLength);
    totalLength += lengths[slot] ?? 0;
    work += length + 1;
    if (work > 2048) {
      work = 0;
      yield;
    }
  }
  const slots = { firstSlot, slotCount: texts.length, documentCount: texts.length, totalLength, lengths };
  return yield* indexTerms(slots, postings.finish());
}

/** Runs steps one after the other, without a pause. */
export function runToEnd<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** What an occurrence adds to a posting. */
type Counted = { weight: number; bit: number };

const toCounted = (weights: Record<TextSource, number>) =>
  Object.fromEntries(
    Object.entries(weights).map(([source, weight]) => [
      source,
      { weight: weight / weightUnit, bit: sourceBit(source as TextSource) },
    ]),
  ) as Record<TextSource, Counted>;

/** Postings in the order of their slots; each term and slot once. */
class PostingBuffer {
  #ids = new Map<string, number>();
  #size = 0;
  #terms = new Uint32Array(4096);
  #slots = new Uint32Array(4096);
  #weights = new Uint8Array(4096);
  #sources = new Uint8Array(4096);
  #slot = 0;
  /** The first posting of the current slot. */
  #start = 0;
  /** The last posting of each term. */
  #last: number[] = [];

  startSlot(slot: number): void {
    this.#slot = slot;
    this.#start = this.#size;
  }

  idOf(token: string): number {
    const known = this.#ids.get(token);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(token, id);
    this.#last.push(-1);
    return id;
  }

  add(term: number, { weight, bit }: Counted): void {
    const last = this.#last[term] ?? -1;
    if (last >= this.#start) {
      this.#weights[last] = Math.min(maxWeight, (this.#weights[last] ?? 0) + weight);
      this.#sources[last] = (this.#sources[last] ?? 0) | bit;
      return;
    }
    if (this.#size === this.#terms.length) this.#grow();
    this.#terms[this.#size] = term;
    this.#slots[this.#size] = this.#slot;
    this.#weights[this.#size] = weight;
    this.#sources[this.#size] = bit;
    this.#last[term] = this.#size++;
  }

  #grow(): void {
    const grow = <T extends Uint32Array | Uint8Array>(larger: T, values: T): T => {
      larger.set(values);
      return larger;
    };
    const size = 2 * this.#size;
    this.#terms = grow(new Uint32Array(size), this.#terms);
    this.#slots = grow(new Uint32Array(size), this.#slots);
    this.#weights = grow(new Uint8Array(size), this.#weights);
    this.#sources = grow(new Uint8Array(size), this.#sources);
  }

  finish() {
    const [size, terms, slots] = [this.#size, this.#terms, this.#slots];
    const [weights, sources] = [this.#weights, this.#sources];
    const counts = new Uint32Array(this.#ids.size);
    for (let i = 0; i < size; i++) counts[terms[i] ?? 0] = (counts[terms[i] ?? 0] ?? 0) + 1;
    return {
      terms: [...this.#ids.keys()],
      counts,
      *forEach(emit: Parameters<UnsortedPostings['forEach']>[0]): Generator<void> {
        for (let i = 0; i < size; i++) {
          emit(terms[i] ?? 0, slots[i] ?? 0, weights[i] ?? 0, sources[i] ?? 0);
          if (i % stepSize === 0) yield;
        }
      },
    };
  }
}
