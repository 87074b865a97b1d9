import { waitCounts } from '../catalog/postgres/wait-counts.ts';
import type { Readiness } from '../platform/health/readiness.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';
import { plainGauge } from '../platform/metrics/plain-gauge.ts';

type Waits = { waits: number; seconds: number };

const countersOf = (name: string, what: string, counted: Waits): GaugeSource[] => [
  plainGauge(`media_search_${name}_waits_total`, `How often this process waited for ${what}.`, () => counted.waits),
  plainGauge(
    `media_search_${name}_wait_seconds_total`,
    `How long this process waited for ${what}.`,
    () => counted.seconds,
  ),
];

/** What the statements of this process wait for in PostgreSQL: many waits ask for more connections, or for fewer writers of a workspace. */
export const createWaitGauges = (): GaugeSource[] => [
  ...countersOf('pool', 'a connection to the database', waitCounts.pool),
  ...countersOf('workspace_lock', 'the lock of a workspace', waitCounts.workspaceLock),
];

/** Which parts of the service work, as `/readyz` says it. */
export const createPartGauge = (readiness: Readiness): GaugeSource => ({
  name: 'media_search_part_works',
  help: 'Whether a part of the service works: 1, or 0.',
  labelNames: ['part'],
  read: async () =>
    Object.entries((await readiness.report()).checks).map(([part, state]) => ({
      labels: { part },
      value: state === 'ok' ? 1 : 0,
    })),
});
