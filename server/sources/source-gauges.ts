import { type Source, sourceState } from '../../contract/sources.ts';
import type { Catalog } from '../catalog/schema.ts';
import { listAllSources, type SourceRow } from '../catalog/sources/sources.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';
import { plainGauge } from '../platform/metrics/plain-gauge.ts';
import { readAtMost } from '../platform/metrics/read-at-most.ts';
import { stateOf } from './source-state.ts';

/** Sources are read at most this often, milliseconds. */
const maxAgeMs = 10_000;

/** How the sources of all workspaces are, by numbers: no label names one. Every process that shares a database reports the same. */
export function createSourceGauges(db: Catalog): GaugeSource[] {
  const read = readAtMost(maxAgeMs, () => listAllSources(db));
  const sum = async (count: (row: SourceRow) => number) => (await read()).reduce((total, row) => total + count(row), 0);
  return [
    {
      name: 'media_search_sources',
      help: 'Sources by their states.',
      labelNames: ['state'],
      read: async () => {
        const states = (await read()).map(stateOf);
        // Each state has a value at any time, so that an alert sees it change.
        return sourceState.options.map((state) => ({
          labels: { state },
          value: states.filter((each) => each === state).length,
        }));
      },
    },
    {
      name: 'media_search_source_files',
      help: 'Files of sources by the last scans: with an item, or failed.',
      labelNames: ['outcome'],
      read: async () => [
        { labels: { outcome: 'taken' }, value: await sum((row) => row.file_count) },
        { labels: { outcome: 'failed' }, value: await sum((row) => row.failed_count) },
      ],
    },
    plainGauge('media_search_source_bytes', 'Bytes of the files of sources, which are not copied.', () =>
      sum((row) => row.bytes),
    ),
    plainGauge(
      'media_search_source_scans',
      'Scans of all sources since they were added, those of single folders included.',
      () => sum((row) => row.scan_number),
    ),
    plainGauge(
      'media_search_source_last_scan_seconds',
      'Time that the last whole scan took, of the source where it took longest.',
      async () => Math.max(0, ...(await read()).map(lastScanSeconds)),
    ),
  ];
}

function lastScanSeconds({ last_scan: stored }: Pick<SourceRow, 'last_scan'>): number {
  if (stored === null) return 0;
  const { started_at: started, ended_at: ended } = JSON.parse(stored) as NonNullable<Source['last_scan']>;
  return (Date.parse(ended) - Date.parse(started)) / 1000;
}
