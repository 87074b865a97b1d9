/** What a counter says after it counted. */
export type Count = {
  /** Whether there were more than the limit. */
  exceeded: boolean;
  /** How many may still come within the window. */
  remaining: number;
  /** Until the window ends and counting begins again. */
  msBeforeNext: number;
};

/** Counts what happens within a window, which begins with the first. */
export type Counter = {
  /** Counts one more. Throws what the database throws where it counts, and cannot. */
  consume(key: string): Promise<Count>;
  /** Takes one back. */
  reward(key: string): Promise<void>;
  /** Begins again. */
  forget(key: string): Promise<void>;
};

type CounterOptions = {
  /** Sets the keys of this counter apart from those of others, 1 to 20 letters. */
  name: string;
  limit: number;
  windowSeconds: number;
  /** While the shared store cannot be reached: each process counts by itself, or `consume` throws. */
  whenAway: 'count here' | 'throw';
};

/** Makes counters that all processes of the service share. */
export type Counters = (options: CounterOptions) => Counter;
