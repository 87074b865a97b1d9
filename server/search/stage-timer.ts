/** The stages of a search. */
export type Stage = 'embed' | 'vector' | 'text' | 'fuse' | 'dedupe' | 'rerank';

export type StageTimer = ReturnType<typeof createStageTimer>;

/** Adds up the time of each stage of a search. */
export function createStageTimer() {
  const spent = new Map<Stage, number>();
  return {
    /** Runs a part of a stage and adds its time, also when it fails. */
    async time<Result>(stage: Stage, work: () => Promise<Result> | Result): Promise<Result> {
      const began = performance.now();
      try {
        return await work();
      } finally {
        spent.set(stage, (spent.get(stage) ?? 0) + performance.now() - began);
      }
    },
    /** The value of the header `Server-Timing` (W3C Server Timing), in milliseconds. */
    header: (): string => [...spent].map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`).join(', '),
  };
}
