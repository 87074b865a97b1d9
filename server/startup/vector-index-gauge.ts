import { countVectorIndexes } from '../catalog/postgres/vector-indexes.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';
import { readAtMost } from '../platform/metrics/read-at-most.ts';

/** The indexes are counted at most this often, milliseconds: the leader looks for missing ones once a minute. */
const maxAgeMs = 30_000;

/** The vector indexes of large workspaces in PostgreSQL, by state. Every process that shares a database reports the same. */
export function createVectorIndexGauge(db: Catalog): GaugeSource {
  const states = readAtMost(maxAgeMs, () => countVectorIndexes(db));
  return {
    name: 'media_search_vector_indexes',
    help: 'Vector indexes of workspaces in PostgreSQL: waiting to be built, building, ready.',
    labelNames: ['state'],
    read: async () => Object.entries(await states()).map(([state, value]) => ({ labels: { state }, value })),
  };
}
