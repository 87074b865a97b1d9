import type { FoundTexts } from '../text/search-texts.ts';
import type { MeantPassage } from './find-meant.ts';
import { findSequences, type StepScores } from './find-sequences.ts';
import { evidenceOf, scoreOf } from './fuse.ts';
import {
  addImages,
  findUnwanted,
  keepDistinct,
  maxDepth,
  type Query,
  type SearchIndex,
  spareHits,
  timed,
} from './run-search.ts';
import { createJudge, type ScoredSlot, sortByScore, toHit } from './score-candidates.ts';
import type { ComposedTask, RankedHit, RankingResult, StageTimes, WeightedPart } from './search-tasks.ts';

/** A part of a composed search, and the index as it sees it. */
export type ComposedPart<Among> = { index: SearchIndex<Among>; query: Query };

type Composed = Omit<ComposedTask, 'kind' | 'parts'>;

/** Candidates of each part at first: what holds two things is often not among the very first of either. */
const leastDepth = 400;

/** A candidate with what it holds of a whole alternative, or of several steps. */
type ComposedSlot = ScoredSlot & { steps?: { slot: number; score: number }[] };

/**
 * Ranks the chunks of an index by what several parts say together. Each candidate is judged by each part as by a search for it alone; what it
 * has of an alternative is the weighted geometric mean of that, so that a candidate that lacks one part is no good hit however much it shows another; of several
 * alternatives the best counts; steps follow each other in an item.
 * @param parts one at least, of the same chunks
 */
export async function runComposed<Among>(
  parts: ComposedPart<Among>[],
  task: Composed,
  times: StageTimes,
): Promise<RankingResult['composed']> {
  const { options } = task;
  const [{ index, query }] = parts as [ComposedPart<Among>];
  for (let depth = Math.max(leastDepth, 5 * options.count); ; depth *= 4) {
    const { candidates, ofParts, isComplete } = await rank(parts, task, depth, times);
    const corrections = ofParts.flatMap((part) => part.corrections);
    const wanted = { index, query: { ...query, options } };
    const found = options.dedupe
      ? await timed(times, 'dedupe', () => keepDistinct(wanted, candidates, corrections))
      : candidates.slice(0, options.count + spareHits).map((each) => toHit(index.numberOf(each.slot), each));
    if (found.length >= options.count || isComplete || depth > maxDepth) {
      const isLabelled = parts.some((part) => part.index.isLabelled);
      return { hits: addSteps(found, candidates, index), parts: ofParts, isLabelled, times };
    }
  }
}

/** Of hits by their first chunk, which no two have in common. */
function addSteps<Among>(hits: RankedHit[], candidates: ComposedSlot[], index: SearchIndex<Among>): RankedHit[] {
  const numbered = (steps: { slot: number; score: number }[]) =>
    steps.map(({ slot, score }) => ({ number: index.numberOf(slot), score }));
  const stepsOf = new Map(candidates.map(({ slot, steps }) => [index.numberOf(slot), steps]));
  return hits.map((hit) => {
    const steps = stepsOf.get(hit.number);
    return steps ? { ...hit, steps: numbered(steps) } : hit;
  });
}

type FoundPart<Among> = {
  near: Map<number, number>;
  texts: FoundTexts<Among>;
  meant: ReadonlyMap<number, MeantPassage>;
};

async function rank<Among>(
  parts: ComposedPart<Among>[],
  { steps, within, leftOut, options }: Composed,
  depth: number,
  times: StageTimes,
) {
  const [{ index }] = parts as [ComposedPart<Among>];
  const isSequence = steps.length > 1;
  const around = async (keys: Iterable<number>) => {
    const own = [...keys];
    return isSequence ? (await index.findAround(own, within)).map(({ slot }) => slot) : own;
  };
  const near: Map<number, number>[] = [];
  for (const part of parts) near.push(await timed(times, 'vector', () => findNear(part, depth)));
  const seen = await around(new Set(near.flatMap((each) => [...each.keys()])));
  const found: FoundPart<Among>[] = [];
  for (const [place, part] of parts.entries()) {
    const wanted = { count: depth, enough: Math.min(depth, options.count) };
    const texts = await timed(times, 'text', () => part.index.findTexts(wanted, seen));
    const meant = await timed(times, 'text', () => findMeantOf(part, depth));
    found.push({ texts, meant, near: near[place] as Map<number, number> });
  }
  const read = found.flatMap(({ texts, meant }) => [...texts.matches.map(({ slot }) => slot), ...meant.keys()]);
  const keys = [...new Set([...seen, ...(await around(new Set(read)))])];
  const scored: Map<number, ScoredSlot>[] = [];
  for (const [place, part] of parts.entries())
    scored.push(await judge(part, found[place] as FoundPart<Among>, keys, times));
  const without = new Set(leftOut);
  const ofSteps = steps.map((alternatives) => joinAlternatives(alternatives, scored, keys));
  const spans = isSequence ? await index.findAround(keys, 0) : [];
  const joined = isSequence
    ? joinSteps(findSequences(spans, ofSteps.map(toStepScores), within), ofSteps)
    : [...(ofSteps[0]?.values() ?? [])];
  const candidates = joined.filter(({ slot }) => !without.has(index.numberOf(slot)));
  sortByScore(candidates, (key) => index.numberOf(key));
  return {
    candidates,
    ofParts: found.map(({ texts: { corrections, unheld } }) => ({ corrections, unheld })),
    isComplete: found.every(({ near, texts }) => near.size < depth && texts.matches.length < depth),
  };
}

/** What must hold a phrase is found by its text, here and in `findMeantOf`. */
const findNear = async <Among>({ index, query }: ComposedPart<Among>, depth: number): Promise<Map<number, number>> =>
  query.vector && query.text.phrases.length === 0 ? index.findNear(depth) : new Map<number, number>();

const findMeantOf = async <Among>(
  { index, query: { text } }: ComposedPart<Among>,
  depth: number,
): Promise<ReadonlyMap<number, MeantPassage>> =>
  text.phrases.length === 0 ? index.findMeant(depth) : new Map<number, never>();

/** What some candidates have of a part, as a search for it alone would judge them; without those that it excludes. */
async function judge<Among>(
  { index, query }: ComposedPart<Among>,
  { near, texts, meant }: FoundPart<Among>,
  keys: number[],
  times: StageTimes,
): Promise<Map<number, ScoredSlot>> {
  const { text, traits, vector } = query;
  const background = vector && (await timed(times, 'vector', () => index.measure(vector)));
  const matches = await timed(times, 'text', () => texts.matchesOf(keys));
  const similarities = new Map(near);
  if (vector) await timed(times, 'vector', () => addImages(index, vector, keys, similarities));
  const isStrange = text.isStrange && text.terms.every((term) => texts.unheld.includes(term));
  const { phrases, terms } = text;
  const judged = createJudge({ phrases, background, traits, terms, isStrange }, Math.max(...similarities.values()));
  const excluded = text.excluded.length > 0 ? await findUnwanted({ index, query }, keys) : new Map<number, number>();
  return timed(times, 'fuse', () => {
    const scored = judged.score(keys, { similarities, matches, meant, excluded });
    return new Map(scored.map((each) => [each.slot, each]));
  });
}

/** What candidates have of a step: of its alternatives the best. */
function joinAlternatives(
  alternatives: WeightedPart[][],
  scored: Map<number, ScoredSlot>[],
  keys: number[],
): Map<number, ScoredSlot> {
  const best = new Map<number, ScoredSlot>();
  for (const slot of keys) {
    for (const parts of alternatives) {
      const joined = joinParts(parts, scored, slot);
      if (joined && joined.score > (best.get(slot)?.score ?? -1)) best.set(slot, joined);
    }
  }
  return best;
}

/** What a candidate has of all parts of an alternative; null where one of them excludes it. It is weak where one of them is. */
function joinParts(parts: WeightedPart[], scored: Map<number, ScoredSlot>[], slot: number): ScoredSlot | null {
  const found: (ScoredSlot & { weight: number })[] = [];
  for (const { part, weight } of parts) {
    const own = scored[part]?.get(slot);
    if (!own) return null;
    found.push({ ...own, weight });
  }
  const [only] = found;
  if (!only || found.length === 1) return only ?? null;
  const evidence = found.reduce((product, { score, weak, weight }) => product * evidenceOf(score, weak) ** weight, 1);
  const weak = found.some((each) => each.weak);
  return { slot, weak, score: scoreOf(evidence, weak), ...joinSignals(found) };
}

type Signals = Pick<ScoredSlot, 'similarity' | 'text' | 'meant'>;

/** The cosine of several parts is their mean; their words are found together; of the passages that mean something like them the clearest is shown. */
function joinSignals(found: Signals[]): Signals {
  const cosines = found.flatMap(({ similarity }) => similarity ?? []);
  const texts = found.flatMap(({ text }) => text ?? []);
  const [first] = texts;
  const [meant = null] = found.flatMap((each) => each.meant ?? []).sort((a, b) => b.evidence - a.evidence);
  return {
    meant,
    similarity: cosines.length === 0 ? null : cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length,
    text: first
      ? {
          slot: first.slot,
          relevance: Math.max(...texts.map(({ relevance }) => relevance)),
          coverage: Math.max(...texts.map(({ coverage }) => coverage)),
          terms: [...new Set(texts.flatMap(({ terms }) => terms))],
        }
      : null,
  };
}

const toStepScores = (step: Map<number, ScoredSlot>): StepScores =>
  new Map([...step].map(([slot, { score, weak }]) => [slot, evidenceOf(score, weak)]));

/** Sequences as candidates, under their first chunk: the geometric mean of their steps; weak where one of them is. */
function joinSteps(sequences: number[][], ofSteps: Map<number, ScoredSlot>[]): ComposedSlot[] {
  return sequences.map((slots) => {
    const found = slots.map((slot, step) => ofSteps[step]?.get(slot) as ScoredSlot);
    const weak = found.some((each) => each.weak);
    const product = found.reduce((product, each) => product * evidenceOf(each.score, each.weak), 1);
    return {
      slot: slots[0] as number,
      weak,
      score: scoreOf(product ** (1 / found.length), weak),
      ...joinSignals(found),
      steps: found.map(({ slot, score }) => ({ slot, score })),
    };
  });
}
