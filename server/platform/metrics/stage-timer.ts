/** The stages of a search, in the order in which they are reported; some run side by side. */
const stages = ['embed', 'vector', 'text', 'fuse', 'dedupe', 'hydrate', 'rerank'] as const;
export type Stage = (typeof stages)[number];

/** What ranked: an index in the memory of the process, or the database. */
export type RankedBy = 'memory' | 'database';

export type StageTimer = ReturnType<typeof createStageTimer>;

/** Adds up the time of each stage of a search. */
export function createStageTimer() {
  const spent = new Map<Stage, number>();
  let rankedBy: RankedBy | null = null;
  const add = (stage: Stage, ms: number): void => void spent.set(stage, (spent.get(stage) ?? 0) + ms);
  return {
    /** Adds time that a stage took elsewhere, in milliseconds. */
    add,

    /** Runs a part of a stage and adds its time, also when it fails. */
    async time<Result>(stage: Stage, work: () => Promise<Result> | Result): Promise<Result> {
      const began = performance.now();
      try {
        return await work();
      } finally {
        add(stage, performance.now() - began);
      }
    },
    /** Says what ranked. */
    setRankedBy: (by: RankedBy): void => void (rankedBy = by),

    /** Milliseconds that each stage took so far. */
    spent: (): Iterable<readonly [Stage, number]> => spent,

    /** The value of the header `Server-Timing` (W3C Server Timing), in milliseconds. */
    header(): string {
      const reported = stages.flatMap((stage) => {
        const ms = spent.get(stage);
        return ms === undefined ? [] : [`${stage};dur=${ms.toFixed(2)}`];
      });
      if (rankedBy !== null) reported.push(`ranked;desc="${rankedBy}"`);
      return reported.join(', ');
    },
  };
}
