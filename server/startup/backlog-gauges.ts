import { type Backlog, readBacklog } from '../catalog/backlog.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';
import { plainGauge } from '../platform/metrics/plain-gauge.ts';
import { readAtMost } from '../platform/metrics/read-at-most.ts';

/** The backlog is read at most this often, milliseconds. */
const maxAgeMs = 60_000;

/** What waits in the catalog, and its size. Every process that shares a database reports the same. */
export function createBacklogGauges(db: Catalog): GaugeSource[] {
  const backlog = readAtMost(maxAgeMs, () => readBacklog(db));
  const gauge = (name: string, help: string, value: keyof Backlog) =>
    plainGauge(name, help, async () => (await backlog())[value]);
  return [
    gauge('media_search_pending_removals', 'Deleted items whose files are not removed yet.', 'removals'),
    gauge('media_search_open_uploads', 'Resumable uploads that have not arrived whole.', 'uploads'),
    gauge('media_search_database_bytes', 'Size of the catalog, with its indexes.', 'bytes'),
  ];
}
