import { parseArgs } from 'node:util';
import { randomLcg } from 'd3-random';

/** Shared by all programs of this folder: seeded choices, limits of rounds and time, counts, and violations. */
export type Campaign = {
  /** A number in [0, 1). The seed determines all choices. */
  random: () => number;
  /** An integer in [0, `below`). */
  integer: (below: number) => number;
  /** True with this probability (0..1). */
  chance: (probability: number) => boolean;
  pick: <Value>(values: readonly Value[]) => Value;
  /** Yields 0, 1, 2 … until the rounds or the seconds are used up. */
  rounds: () => Generator<number>;
  count: (what: string, by?: number) => void;
  /** Records a violation. The first ones of each kind are printed at once, all are counted. */
  violation: (kind: string, detail: string) => void;
  /** Prints all counts; the process exits with 1 when something was violated. */
  report: () => void;
  /** The value of an option beyond `--seed`, `--rounds` and `--seconds`. */
  option: (name: string) => number;
};

/** Violations of one kind that are printed in full. */
const maxPrinted = 5;

/**
 * Reads `--seed`, `--rounds`, `--seconds` and further options, all whole numbers, from the command line and prints the seed.
 * @param defaults of the options; `rounds` and `seconds` bound the campaign, whichever is used up first
 */
export function startCampaign(
  name: string,
  defaults: { rounds: number; seconds: number } & Record<string, number>,
): Campaign {
  const names = ['seed', ...Object.keys(defaults)];
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((each) => [each, { type: 'string' as const }])),
  });
  const option = (each: string): number => {
    const given = values[each];
    const value = given === undefined ? defaults[each] : Number(given);
    if (value === undefined || !Number.isSafeInteger(value)) throw new Error(`--${each} must be a whole number.`);
    return value;
  };
  const seed = values['seed'] === undefined ? Math.floor(Math.random() * 2 ** 31) : option('seed');
  const random = randomLcg(seed);
  const began = performance.now();
  let tried = 0;
  const counts = new Map<string, number>();
  const violations = new Map<string, number>();
  const add = (map: Map<string, number>, key: string, by: number) => map.set(key, (map.get(key) ?? 0) + by);
  const integer = (below: number) => Math.floor(random() * below);
  console.log(`${name}: --seed ${seed} --rounds ${option('rounds')} --seconds ${option('seconds')}`);

  return {
    random,
    integer,
    chance: (probability) => random() < probability,
    pick<Value>(values: readonly Value[]): Value {
      if (values.length === 0) throw new Error('There is nothing to pick from.');
      return values[integer(values.length)] as Value;
    },
    *rounds() {
      // Preparation does not count towards `--seconds`.
      const first = performance.now();
      for (let round = 0; round < option('rounds'); round++) {
        if (performance.now() - first > option('seconds') * 1000) return;
        tried += 1;
        yield round;
      }
    },
    count: (what, by = 1) => void add(counts, what, by),
    violation(kind, detail) {
      add(violations, kind, 1);
      if ((violations.get(kind) ?? 0) <= maxPrinted) console.log(`VIOLATION ${kind}: ${detail}`);
    },
    report() {
      if (tried === 0) add(violations, 'no round was run', 1);
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      for (const [what, count] of [...counts].toSorted(([a], [b]) => a.localeCompare(b))) {
        console.log(`${String(count).padStart(8)}  ${what}`);
      }
      for (const [kind, count] of violations) console.log(`${String(count).padStart(8)}  VIOLATION ${kind}`);
      const total = [...violations.values()].reduce((sum, count) => sum + count, 0);
      console.log(`${name}: ${total} violations in ${seconds} s (seed ${seed})`);
      if (total > 0) process.exitCode = 1;
    },
    option,
  };
}
