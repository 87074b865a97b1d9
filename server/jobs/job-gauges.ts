import { countJobs } from '../catalog/queue/job-counts.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';
import { readAtMost } from '../platform/metrics/read-at-most.ts';

/** Jobs are counted at most this often, milliseconds: it reads all of them. */
const maxAgeMs = 10_000;

/** How many jobs there are, and how long the oldest is there. Every process that shares a database reports the same. */
export function createJobGauges(db: Catalog): GaugeSource[] {
  const count = readAtMost(maxAgeMs, () => countJobs(db));
  return [
    {
      name: 'media_search_jobs',
      help: 'Jobs in the queue.',
      labelNames: ['kind', 'state'],
      read: async () =>
        (await count()).flatMap(({ kind, waiting, running }) => [
          { labels: { kind, state: 'waiting' }, value: waiting },
          { labels: { kind, state: 'running' }, value: running },
        ]),
    },
    {
      name: 'media_search_oldest_job_age_seconds',
      help: 'Time since the oldest job of a kind was added.',
      labelNames: ['kind'],
      read: async () =>
        (await count()).map(({ kind, oldest }) => ({
          labels: { kind },
          value: Math.max(0, (Date.now() - Date.parse(oldest)) / 1000),
        })),
    },
  ];
}
