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
  return [...Map.groupBy(spans, ({ item }) => item).values()].flatMap((ofItem) =>
    findInItem(
      ofItem.toSorted((a, b) => a.start - b.start),
      steps,
      within,
    ),
  );
}

/** The best sequence of an item, and those before and behind it. */
function findInItem(ordered: Span[], steps: StepScores[], within: number): number[][] {
  if (ordered.length < steps.length) return [];
  const chains = steps.reduce<Chain[] | null>((before, step) => extend(before, ordered, step, within), null) ?? [];
  const best = chains.reduce<Chain | null>((a, b) => (a && a.product >= b.product ? a : b), null);
  if (!best) return [];
  const [begin, end] = [firstOf(best).start, best.span.end];
  return [
    slotsOf(best),
    ...findInItem(
      ordered.filter((span) => span.end <= begin + tolerance),
      steps,
      within,
    ),
    ...findInItem(
      ordered.filter((span) => span.start >= end - tolerance),
      steps,
      within,
    ),
  ];
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

function firstOf(chain: Chain): Span {
  return chain.before ? firstOf(chain.before) : chain.span;
}

function slotsOf({ span, before }: Chain): number[] {
  return before ? [...slotsOf(before), span.slot] : [span.slot];
}
