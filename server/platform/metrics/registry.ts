import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { GaugeSource, Metrics } from './metrics.ts';

/** Upper ends of the classes of times, seconds. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10];

/** What is measured, as Prometheus counts it, and beside it processor time, memory and the delay of the event loop of this process. */
export type MetricsRegistry = Omit<Metrics, 'addGauge' | 'read'> & { text: () => Promise<string>; contentType: string };

/** The metrics by their names. No label holds a workspace, a key, an address, or the name of a file: each value is a series of its own. */
export function createRegistry(sources: GaugeSource[]): MetricsRegistry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response, by the pattern of its route.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const stages = new Histogram({
    name: 'media_search_stage_duration_seconds',
    help: 'Time that each stage of a search took.',
    labelNames: ['stage'],
    buckets,
    registers,
  });
  const jobs = createJobCounters(registers);
  const storage = new Histogram({
    name: 'media_search_storage_request_duration_seconds',
    help: 'Time of requests to the store of originals and renditions.',
    labelNames: ['operation', 'outcome'],
    buckets,
    registers,
  });
  const deliveries = createDeliveryMetrics(registers);
  for (const { name, help, labelNames, read } of sources) {
    const gauge = new Gauge<string>({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        gauge.reset();
        for (const { labels, value } of await read()) gauge.set(labels, value);
      },
    });
  }
  return {
    observeRequest: ({ method, route, status }, seconds) =>
      requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds),
    observeStages(spent) {
      for (const [stage, ms] of spent) stages.observe({ stage }, ms / 1000);
    },
    countJob: jobs.count,
    observeStorage: (operation, outcome, seconds) => storage.observe({ operation, outcome }, seconds),
    ...deliveries,
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function createDeliveryMetrics(registers: Registry[]): Pick<Metrics, 'observeDelivery' | 'countDeliveries'> {
  const attempts = new Histogram({
    name: 'media_search_webhook_attempt_duration_seconds',
    help: 'Time of attempts to deliver an event to a webhook, until the answer or the failure.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  const ended = new Counter({
    name: 'media_search_webhook_deliveries_ended_total',
    help: 'Deliveries to webhooks that ended.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    observeDelivery: ({ outcome, seconds }) => attempts.observe({ outcome }, seconds),
    countDeliveries: (outcome, count) => ended.inc({ outcome }, count),
  };
}

function createJobCounters(registers: Registry[]): { count: Metrics['countJob'] } {
  const ended = new Counter({
    name: 'media_search_jobs_ended_total',
    help: 'Attempts at jobs that ended.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const spent = new Counter({
    name: 'media_search_job_seconds_total',
    help: 'Time that workers spent on jobs, by the type of the item.',
    labelNames: ['kind', 'type'],
    registers,
  });
  const media = new Counter({
    name: 'media_search_indexed_media_seconds_total',
    help: 'Seconds of videos that were indexed.',
    registers,
  });
  return {
    count({ job, type, outcome, seconds, mediaSeconds }) {
      ended.inc({ kind: job, outcome });
      spent.inc({ kind: job, type }, seconds);
      media.inc(mediaSeconds);
    },
  };
}
