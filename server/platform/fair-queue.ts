/** How many tasks may wait, of one lane and of all. Further ones are refused. */
type WaitingBounds = { each: number; all: number };

/** More than the requests in flight of a workspace need. */
const usualBounds: WaitingBounds = { each: 64, all: 256 };
/** How many long tasks of an owner may wait and run where short ones are spared. */
const maxLongPerOwner = 32;

type QueueOptions = {
  /** Tasks that run at the same time. */
  concurrency?: number;
  /** Whether long tasks of all owners together, not of each one, leave a place to short ones. */
  sparesShort?: boolean;
  /** Whether of the tasks of a lane the newest is next, for what somebody looks at; the oldest otherwise. */
  newestFirst?: boolean;
  bounds?: WaitingBounds;
};

/** What asks for a turn. */
type Task = {
  /** The workspace or network: owners take turns. */
  owner: string;
  /** Tasks of an owner that are limited apart from its others. */
  lane?: string;
  /** Tasks of the lane that run at the same time. */
  atOnce?: number;
  /** How many tasks of the lane may wait; the bound of the queue by default. */
  waiting?: number;
  /** Whether the task may take many seconds; such tasks of one owner, or of all, never take the last place. */
  isLong?: boolean;
};

/** Gives a turn back; to be called once. */
type EndTurn = () => void;

type Waiter = { task: Task; start: (endTurn: EndTurn) => void };

type Lane = {
  key: string;
  owner: string;
  running: number;
  runningLong: number;
  /** The oldest first. */
  waiting: Set<Waiter>;
};

/** Too many tasks are waiting. */
export class BusyError extends Error {
  override name = 'BusyError';
  /** How many of the lane. */
  readonly waiting: number;

  constructor(message: string, waiting = 0) {
    super(message);
    this.waiting = waiting;
  }
}

/** A queue in which owners take turns: the next is of the one that has the fewest running, and of these of the one that has waited longest. */
export class FairQueue {
  readonly #concurrency: number;
  readonly #sparesShort: boolean;
  readonly #newestFirst: boolean;
  readonly #bounds: WaitingBounds;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes in which tasks wait, in the order in which they are served next. */
  readonly #queue = new Map<string, Lane>();
  #running = 0;
  #runningLong = 0;

  constructor({
    concurrency = Infinity,
    sparesShort = false,
    newestFirst = false,
    bounds = usualBounds,
  }: QueueOptions) {
    this.#concurrency = concurrency;
    this.#sparesShort = sparesShort;
    this.#newestFirst = newestFirst;
    this.#bounds = bounds;
  }

  /** Begins a task that has to wait for none. @returns ends its turn; undefined where it has to wait */
  take(task: Task): EndTurn | undefined {
    const lane = this.#laneOf(task);
    return lane.waiting.size === 0 && this.#canStart(task, lane) ? this.#begin(task, lane) : undefined;
  }

  /** Waits for a turn. Throws `BusyError`, and the signal's reason when aborted before. */
  async waitForTurn(task: Task, signal?: AbortSignal): Promise<EndTurn> {
    signal?.throwIfAborted();
    const taken = this.take(task);
    if (taken) return taken;
    const lane = this.#laneOf(task);
    this.#checkBounds(task, lane);
    const { promise, resolve, reject } = Promise.withResolvers<EndTurn>();
    const waiter: Waiter = { task, start: resolve };
    // One that got its turn at the same moment keeps it.
    const onAbort = () => {
      if (!this.#leave(lane, waiter)) return;
      this.#forgetIdle(lane);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort);
    this.#lanes.set(lane.key, lane);
    lane.waiting.add(waiter);
    this.#queue.set(lane.key, lane);
    // A short task goes before long ones of its lane that have to wait.
    this.#startNext();
    return promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  #laneOf({ owner, lane = '' }: Task): Lane {
    const key = `${owner} ${lane}`;
    return this.#lanes.get(key) ?? { key, owner, running: 0, runningLong: 0, waiting: new Set() };
  }

  #canStart({ atOnce = Infinity, isLong = false }: Task, lane: Lane): boolean {
    if (this.#running >= this.#concurrency || lane.running >= atOnce) return false;
    return !isLong || (this.#sparesShort ? this.#runningLong : lane.runningLong) < Math.max(1, this.#concurrency - 1);
  }

  #begin({ isLong = false }: Task, lane: Lane): EndTurn {
    this.#lanes.set(lane.key, lane);
    this.#count(lane, isLong, 1);
    return () => {
      this.#count(lane, isLong, -1);
      this.#startNext();
      this.#forgetIdle(lane);
    };
  }

  #count(lane: Lane, isLong: boolean, change: 1 | -1): void {
    this.#running += change;
    lane.running += change;
    if (!isLong) return;
    this.#runningLong += change;
    lane.runningLong += change;
  }

  #startNext(): void {
    for (let next = this.#findNext(); next; next = this.#findNext()) {
      const { lane, waiter } = next;
      this.#leave(lane, waiter);
      // Its other tasks go behind those of the others.
      if (this.#queue.delete(lane.key)) this.#queue.set(lane.key, lane);
      waiter.start(this.#begin(waiter.task, lane));
    }
  }

  #findNext(): { lane: Lane; waiter: Waiter } | undefined {
    if (this.#running >= this.#concurrency) return undefined;
    let next: { lane: Lane; waiter: Waiter } | undefined;
    for (const lane of this.#queue.values()) {
      if (next && next.lane.running <= lane.running) continue;
      const waiters = this.#newestFirst ? [...lane.waiting].toReversed() : lane.waiting;
      for (const waiter of waiters) {
        if (!this.#canStart(waiter.task, lane)) continue;
        next = { lane, waiter };
        break;
      }
    }
    return next;
  }

  #leave(lane: Lane, waiter: Waiter): boolean {
    const wasWaiting = lane.waiting.delete(waiter);
    if (lane.waiting.size === 0) this.#queue.delete(lane.key);
    return wasWaiting;
  }

  #forgetIdle(lane: Lane): void {
    const isIdle = lane.running === 0 && lane.waiting.size === 0;
    if (isIdle && this.#lanes.get(lane.key) === lane) this.#lanes.delete(lane.key);
  }

  /** Throws `BusyError` where one more may not wait. */
  #checkBounds({ owner, waiting = this.#bounds.each, isLong = false }: Task, lane: Lane): void {
    const lanes = [...this.#queue.values()];
    const own = countWaiting(lanes.filter((each) => each.owner === owner));
    // An owner is not refused because of what others have queued, as long as it has less than an equal part.
    const part = this.#bounds.all / Math.max(1, new Set(lanes.map((each) => each.owner)).size);
    const isCrowded = countWaiting(lanes) >= this.#bounds.all && own >= part;
    const long = lane.runningLong + [...lane.waiting].filter(({ task }) => task.isLong).length;
    if (lane.waiting.size >= waiting || isCrowded || (this.#sparesShort && isLong && long >= maxLongPerOwner)) {
      throw new BusyError('Too many heavy requests.', lane.waiting.size);
    }
  }
}

const countWaiting = (lanes: Lane[]): number => lanes.reduce((sum, { waiting: { size } }) => sum + size, 0);
