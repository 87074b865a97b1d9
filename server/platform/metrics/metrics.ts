import type { Stage } from './stage-timer.ts';

/** Called with each request to a bucket, retries included: what it asked for, how it ended, and how long it took, seconds. */
export type StorageObserver = (operation: string, outcome: 'ok' | 'failed', seconds: number) => void;

/** An attempt at a job that has ended. */
export type EndedJob = {
  /** Its kind. */
  job: string;
  /** The type of its item: `image` or `video`. */
  type: string;
  outcome: 'done' | 'failed' | 'requeued' | 'stopped' | 'lost';
  seconds: number;
  /** Seconds of a video that it indexed; otherwise 0. */
  mediaSeconds: number;
};

/** An attempt at a delivery of a webhook that has ended. */
type EndedAttempt = {
  /** `requeued`: it failed, and another follows; `failed`: it was the last. */
  outcome: 'delivered' | 'requeued' | 'failed';
  seconds: number;
};

/** A value that is read at each scrape of the metrics. */
export type GaugeSource = {
  name: string;
  help: string;
  labelNames: string[];
  read: () => Promise<{ labels: Record<string, string>; value: number }[]>;
};

/** What a process measures of itself. */
export type Metrics = {
  /** @param request.route the pattern of its route, never its path */
  observeRequest(request: { method: string; route: string; status: number }, seconds: number): void;
  /** @param spent milliseconds of each stage */
  observeStages(spent: Iterable<readonly [Stage, number]>): void;
  countJob(ended: EndedJob): void;
  observeStorage: StorageObserver;
  observeDelivery(ended: EndedAttempt): void;
  /** Deliveries of webhooks that will not be attempted again. */
  countDeliveries(outcome: 'delivered' | 'failed', count: number): void;
  /** Call it before the metrics are read first. */
  addGauge(source: GaugeSource): void;
  /** The metrics in the text format of Prometheus. */
  read(): Promise<{ text: string; contentType: string }>;
};
