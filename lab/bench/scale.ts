import { parseArgs } from 'node:util';
import { measureApi } from './scale/api.ts';
import { measureCitus } from './scale/citus.ts';
import { measureQueue } from './scale/queue.ts';
import { measureSearch } from './scale/search.ts';
import { measureStoring } from './scale/storing.ts';

/**
 * How the service grows: each part on SQLite and, where `TEST_DATABASE_URL` names a server, on PostgreSQL in the same run.
 *
 *     npm run node -- lab/bench/scale.ts queue [--jobs 1000]
 *     npm run node -- lab/bench/scale.ts storing [--rounds 12]
 *     npm run node -- lab/bench/scale.ts api
 *     npm run node -- lab/bench/scale.ts search --vectors <file of float32> [--chunks 100000] [--rounds 60]
 *     npm run node -- lab/bench/scale.ts citus --one <URL> --nodes <URL> [--chunks 20000] [--rounds 60]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '1000' },
    vectors: { type: 'string' },
    chunks: { type: 'string' },
    rounds: { type: 'string' },
    one: { type: 'string' },
    nodes: { type: 'string' },
  },
});

const parts: Record<string, () => Promise<void>> = {
  queue: () => measureQueue(Number(values.jobs)),
  storing: () => measureStoring(Number(values.rounds ?? 12)),
  api: measureApi,
  search: () => measureSearch(values.vectors, Number(values.chunks ?? 100_000), Number(values.rounds ?? 60)),
  citus: () => {
    const { one, nodes, chunks = 20_000, rounds = 60 } = values;
    return measureCitus({ one, nodes, chunks: Number(chunks), rounds: Number(rounds) });
  },
};

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (!part) throw new Error(`There is no part ${name}: ${Object.keys(parts).join(', ')}.`);
  await part();
}
