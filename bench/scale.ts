import { parseArgs } from 'node:util';
import { measureApi } from './scale/api.ts';
import { measureQueue } from './scale/queue.ts';
import { measureSearch } from './scale/search.ts';

/**
 * How the service grows: each part on SQLite and, where `TEST_DATABASE_URL` names a server, on PostgreSQL in the same run.
 *
 *     node bench/scale.ts queue [--jobs 1000]
 *     node bench/scale.ts api
 *     node bench/scale.ts search --vectors <file of float32> [--chunks 100000] [--rounds 60]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '1000' },
    vectors: { type: 'string' },
    chunks: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '60' },
  },
});

const parts: Record<string, () => Promise<void>> = {
  queue: () => measureQueue(Number(values.jobs)),
  api: measureApi,
  search: () => measureSearch(values.vectors, Number(values.chunks), Number(values.rounds)),
};

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (!part) throw new Error(`There is no part ${name}: ${Object.keys(parts).join(', ')}.`);
  await part();
}
