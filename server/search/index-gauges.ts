import { countChangesAfter } from '../catalog/media/item-changes.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';
import { plainGauge } from '../platform/metrics/plain-gauge.ts';
import type { IndexRanker } from './index-ranker.ts';

/** What a process measures of its search indexes, and of what ranks. */
export function createIndexGauges(db: Catalog, { report }: Pick<IndexRanker, 'report'>): GaugeSource[] {
  return [
    plainGauge(
      'media_search_index_bytes',
      'Memory of the search indexes of this process, bytes.',
      () => report().bytes,
    ),
    plainGauge('media_search_indexes', 'Search indexes in the memory of this process.', () => report().changes.size),
    plainGauge('media_search_index_loads', 'Search indexes loaded or built since the start.', () => report().loaded),
    plainGauge(
      'media_search_index_evictions',
      'Search indexes closed for others since the start.',
      () => report().closed,
    ),
    plainGauge(
      'media_search_index_lag',
      'Changed items that the search indexes of this process have not followed yet.',
      () => countChangesAfter(db, report().changes),
    ),
    {
      name: 'media_search_rankings',
      help: 'Searches ranked since the start, by the indexes in memory or by the database.',
      labelNames: ['by'],
      read: async () => Object.entries(report().ranked).map(([by, value]) => ({ labels: { by }, value })),
    },
  ];
}
