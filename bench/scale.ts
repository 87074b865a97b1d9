import { parseArgs } from 'node:util';
import { measureApi } from './scale/api.ts';
import { measureQueue } from './scale/queue.ts';

/**
 * How the service grows: each part on SQLite and, where `TEST_DATABASE_URL` names a server, on PostgreSQL in the same run.
 *
 *     node bench/scale.ts queue [--jobs 1000]
 *     node bench/scale.ts api
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: '1000' } },
});

const parts: Record<string, () => Promise<void>> = {
  queue: () => measureQueue(Number(values.jobs)),
  api: measureApi,
};

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (!part) throw new Error(`There is no part ${name}: ${Object.keys(parts).join(', ')}.`);
  await part();
}
