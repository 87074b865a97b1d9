import type { Span } from './deduplicate.ts';

/** The evidence that chunks hold a step, 0..1, by their slots. */
export type StepScores = ReadonlyMap<number, number>;

/** A sequence up to a chunk, by falling product of its evidence. */
type Chain = { span: Span; product: number; before: Chain | null };

/**
 * The best sequences of chunks in which each holds its step, begins when the one before has ended, and lies at most so many seconds behind it. No two of an
 * item overlap: of those that do the better one stays.
 * @param spans the chunks, in any order
 * @param steps two at least
 * @param within seconds that may lie between the end of a step and the start of the next
 * @returns slots by step, in no particular order
 */
export function findSequences(spans: Span[], steps: StepScores[], within: number): number[][] {
  const found: number[][] = [];
  for (const ofItem of Map.groupBy(spans, ({ item }) => item).values()) {
    const ordered = ofItem.toSorted((a, b) => a.start - b.start);
    const chains = steps.reduce<Chain[] | null>((before, step) => extend(before, ordered, step, within), null) ?? [];
    found.push(...keepApart(chains).map(slotsOf));
  }
  return found;
}

/** A span may end a frame after the next one begins. */
const tolerance = 0.05;

/** For each chunk that holds a step, the best sequence up to it. */
function extend(before: Chain[] | null, ordered: Span[], step: StepScores, within: number): Chain[] {
  return ordered.flatMap((span): Chain[] => {
    const evidence = step.get(span.slot);
    if (evidence === undefined) return [];
    if (before === null) return [{ span, product: evidence, before: null }];
    const fitting = before.filter(({ span: { start, end } }) => {
      const gap = span.start - end;
      return start < span.start && gap >= -tolerance && gap <= within;
    });
    const best = fitting.reduce<Chain | null>((a, b) => (a && a.product >= b.product ? a : b), null);
    return best ? [{ span, product: best.product * evidence, before: best }] : [];
  });
}

function keepApart(chains: Chain[]): Chain[] {
  const kept: Chain[] = [];
  for (const chain of chains.toSorted((a, b) => b.product - a.product)) {
    const begin = first(chain).start;
    const isApart = kept.every((other) => chain.span.end <= first(other).start || begin >= other.span.end);
    if (isApart) kept.push(chain);
  }
  return kept;
}

function first(chain: Chain): Span {
  return chain.before ? first(chain.before) : chain.span;
}

function slotsOf({ span, before }: Chain): number[] {
  return before ? [...slotsOf(before), span.slot] : [span.slot];
}
