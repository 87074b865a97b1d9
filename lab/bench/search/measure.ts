import { mean } from '@media-search/search-engine/vectors';
import { quantile } from '../vectors.ts';
import type { Filter } from './corpus.ts';
import type { EngineClient } from './engine-client.ts';
import type { EngineName, Kind, Opened, Steady } from './engine-process.ts';
import type { Memory } from './memory.ts';
import type { Reference } from './reference.ts';

/** An engine over a number of chunks, and what is known about it so far. */
export type Contestant = {
  name: EngineName;
  size: number;
  client: EngineClient;
  built: Opened;
  opened: Opened;
  /** Recall at 10 and median time of the vector part by each setting that was tried. */
  sweep: { effort: string; recall: number; ms: number }[];
  effort: string;
  memory?: Memory;
  /** Over so few chunks that it is what the engine takes in any case. */
  memoryOfFew?: Memory | undefined;
  /** Share of the exact first ten, in the order of `cases`. */
  quality: number[];
};

type Case = {
  kind: Kind;
  filter: Filter;
  name: string;
  /** The share of the exact first ten that ours finds at least. */
  least: number;
};

const behind = [
  [null, ''],
  ['half', ', half'],
  ['hundredth', ', a hundredth'],
  ['tenThousandth', ', a ten-thousandth'],
] as const;

const behindEach = (kind: Kind, name: string, least: number): Case[] =>
  behind.map(([filter, part]) => ({ kind, filter, name: name + part, least }));

/** All that is asked: what, behind which filter. */
export const cases: Case[] = [
  ...behindEach('one', 'one word', 0.975),
  ...behindEach('three', 'three words', 0.99),
  ...behindEach('vector', 'vector alone', 0.995),
  { kind: 'one shown', filter: null, name: 'one word, hits that can be shown', least: 0.975 },
  { kind: 'three shown', filter: null, name: 'three words, hits that can be shown', least: 0.99 },
];

/** How much less recall than ours a peer may have. */
const tolerance = 0.005;

/** Takes the quickest setting of an engine with enough recall; the one with the most where none has. */
export async function chooseEffort(one: Contestant, reference: Reference, target = 1): Promise<void> {
  const { client, opened, sweep } = one;
  for (const [effort, name] of opened.efforts.entries()) {
    await client.use(effort);
    const recalls: number[] = [];
    const times: number[] = [];
    for (let i = 0; i < reference.count; i++) {
      const { ms, places } = await client.ask('vector', i, null);
      recalls.push(reference.vectorRecall(i, null, places));
      times.push(ms);
    }
    sweep.push({ effort: name, recall: mean(recalls), ms: quantile(times, 0.5) });
    if (mean(recalls) >= target - tolerance) break;
  }
  const enough = sweep.find(({ recall }) => recall >= target - tolerance);
  const chosen = enough ?? sweep.toSorted((a, b) => b.recall - a.recall || a.ms - b.ms)[0];
  one.effort = chosen?.effort ?? '';
  await client.use(opened.efforts.indexOf(one.effort));
}

/** Times of each case, ms; rates a second of each turn; and steady searches. */
export type Measured = {
  times: Map<Contestant, number[][]>;
  rates: Map<Contestant, number[]>;
  steady: Map<Contestant, { alone: Steady; beside: Steady }>;
};

/** Rounds of the slowest are fewer: each case that takes longer than this is asked in every tenth round only, ms. */
const slow = 40;

/** Asks all engines by turns; the first of a turn is another each time. */
export async function measureAll(contestants: Contestant[], rounds: number): Promise<Measured> {
  const times = new Map(contestants.map((one) => [one, cases.map((): number[] => [])]));
  for (let round = 0; round < rounds; round++) {
    for (const [place, { kind, filter }] of cases.entries()) {
      for (const one of rotate(contestants, round)) {
        const known = times.get(one)?.[place] as number[];
        if (round % 10 > 0 && (known[0] ?? 0) > slow) continue;
        known.push((await one.client.ask(kind, round, filter)).ms);
      }
    }
  }
  const rates = new Map(contestants.map((one) => [one, [] as number[]]));
  for (let turn = 0; turn < 3; turn++) {
    for (const one of rotate(contestants, turn)) {
      const rate = await within(30, one.client.rate(16, 4));
      if (rate !== null) rates.get(one)?.push(rate);
    }
  }
  const steady: Measured['steady'] = new Map();
  for (const one of contestants) {
    const alone = await within(60, one.client.steady(6, 0));
    const beside = await within(60, one.client.steady(13, 10));
    if (alone && beside) steady.set(one, { alone, beside });
  }
  return { times, rates, steady };
}

/** Null for an engine that does not answer any more: one did so with 16 clients, in one run of five. */
async function within<Result>(seconds: number, work: Promise<Result>): Promise<Result | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), 1000 * seconds);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const rotate = <Each>(all: Each[], by: number): Each[] => {
  const first = by % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

/** The share of the exact first ten that an engine finds, of each case. */
export async function measureQuality({ client }: Contestant, reference: Reference): Promise<number[]> {
  const shares = cases.map((): number[] => []);
  for (let i = 0; i < reference.count; i++) {
    const relevances = await client.relevances(i);
    for (const [place, { kind, filter }] of cases.entries()) {
      const { places } = await client.ask(kind, i, filter);
      const words = kind.startsWith('three') ? 'three' : 'one';
      const share =
        kind === 'vector'
          ? reference.vectorRecall(i, filter, places)
          : relevances
            ? reference.overlapByEvidence(words, i, filter, places, relevances)
            : reference.overlapByRank(words, i, filter, places);
      shares[place]?.push(share);
    }
  }
  return shares.map((some) => mean(some));
}
