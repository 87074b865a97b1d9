import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startTestService, temporaryFolder } from '../server/testing/running-service.ts';
import { mean } from '../server/vectors.ts';
import { privateMemory } from './private-memory.ts';
import { type Engine, findExactly, makeCorpus, makeQueries, type Query } from './search/corpus.ts';
import { openLanceDb } from './search/lancedb.ts';
import { openOurs } from './search/ours.ts';
import { openPgvector } from './search/pgvector.ts';
import { openSqliteVec } from './search/sqlite-vec.ts';
import { openVectors, quantile } from './vectors.ts';

/**
 * Hybrid search over many chunks in one run, queries in turn: by our engine, LanceDB, sqlite-vec, and PostgreSQL with pgvector when
 * `DATABASE_URL` is set. Prints median and 99th percentile without a filter and with filters that a hundredth and about half pass, recall
 * at 10 of the vector part compared with exact search, queries per second with 16 clients, time to build, and memory in vectors at half
 * precision (for pgvector the size of its vector index). For ours also the time of a restart.
 *
 *     (cd bench && npm install) && node bench/search.ts --vectors <file of float32> [--chunks 100000] [--rounds 200] [--alone] [--also 1000000]
 *
 * `--alone` leaves the others out. `--also` adds our engine over another number of chunks; a million takes about 8 GB of disk and memory, and
 * half an hour.
 *
 * LanceDB prints a warning about a later version at every search, unless LANCE_LOG=error.
 */

const { values } = parseArgs({
  options: {
    vectors: { type: 'string' },
    chunks: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '200' },
    alone: { type: 'boolean', default: false },
    also: { type: 'string' },
  },
});
const source = await openVectors(values.vectors, 512);
const corpus = makeCorpus(source, Number(values.chunks));
const queries = makeQueries(source, Number(values.rounds));
await using service = await startTestService();
await using folder = await temporaryFolder();
await using larger = await startTestService();
const engines: (Engine & { memory: number })[] = [];
const restarts = new Map<string, () => Promise<number>>();
await add(() => ours('ours', corpus, service));
if (!values.alone) {
  await add(() => openLanceDb(corpus, folder.file('lancedb')));
  await add(() => openSqliteVec(corpus, folder.file('sqlite-vec.db')));
  const databaseUrl = process.env['DATABASE_URL'];
  if (databaseUrl) await add(() => openPgvector(corpus, databaseUrl));
}
if (values.also) await add(() => ours(`ours, ${values.also}`, makeCorpus(source, Number(values.also)), larger));

async function ours(...parts: Parameters<typeof openOurs>): Promise<Engine> {
  const engine = await openOurs(...parts);
  restarts.set(engine.name, engine.restart);
  return engine;
}

/** Opens an engine, warms it up with some queries, and measures how much the process has grown by then. */
async function add(open: () => Promise<Engine>): Promise<void> {
  const before = await privateMemory();
  const engine = await open();
  for (const query of queries.slice(0, 20)) await engine.hybrid(query, null);
  engines.push({ ...engine, memory: engine.memory ?? (await privateMemory()) - before });
}

const kinds: Record<string, (engine: Engine, query: Query) => Promise<number[]>> = {
  hybrid: (engine, query) => engine.hybrid(query, null),
  'hybrid, half': (engine, query) => engine.hybrid(query, 'most'),
  'hybrid, a hundredth': (engine, query) => engine.hybrid(query, 'one'),
  vector: (engine, query) => engine.vector(query),
};
const times = new Map<string, number[]>();
const recalls = new Map<string, number[]>();
const push = (map: Map<string, number[]>, key: string, value: number) => map.set(key, [...(map.get(key) ?? []), value]);
const exact = new Map<number, number[][]>();
for (const { corpus: searched } of engines) {
  if (!exact.has(searched.size)) exact.set(searched.size, findExactly(searched, queries.slice(0, 50), 10));
}
for (const [i, query] of queries.entries()) {
  for (const [kind, ask] of Object.entries(kinds)) {
    for (const engine of engines) {
      const began = performance.now();
      const found = await ask(engine, query);
      push(times, `${engine.name}/${kind}`, performance.now() - began);
      const nearest = exact.get(engine.corpus.size)?.[i];
      if (!nearest || kind !== 'vector') continue;
      push(recalls, engine.name, nearest.filter((place) => found.slice(0, 10).includes(place)).length / 10);
    }
  }
}

console.log(
  `${values.chunks} chunks of ${source.dimensions} dimensions, ${cpus()[0]?.model}, ${availableParallelism()} cores`,
);
console.log(
  `\n| p50 / p99, ms | ${Object.keys(kinds).join(' | ')} | recall at 10 | 16 at once, a second | build, s | memory |`,
);
console.log(`| --- |${' --- |'.repeat(Object.keys(kinds).length + 4)}`);
for (const engine of engines) {
  const cells = Object.keys(kinds).map((kind) => {
    const all = times.get(`${engine.name}/${kind}`) ?? [];
    return `${quantile(all, 0.5).toFixed(1)} / ${quantile(all, 0.99).toFixed(1)}`;
  });
  const recall = recalls.get(engine.name) ?? [];
  const rate = await ratePerSecond(engine);
  // Of the vectors at half precision.
  const share = engine.memory / (2 * engine.corpus.dimensions * engine.corpus.size);
  console.log(
    `| ${engine.name} | ${cells.join(' | ')} | ${mean(recall).toFixed(3)} | ${rate.toFixed(0)} | ${engine.buildSeconds.toFixed(0)} | ${share.toFixed(2)} |`,
  );
}
console.log();
for (const [name, restart] of restarts)
  console.log(`${name}: another start answers after ${(await restart()).toFixed(1)} s`);
for (const engine of engines) await engine.close();

/** Hybrid queries per second by 16 clients. */
async function ratePerSecond(engine: Engine): Promise<number> {
  const until = performance.now() + 4000;
  let asked = 0;
  const client = async () => {
    while (performance.now() < until) await engine.hybrid(queries[asked++ % queries.length] as Query, null);
  };
  await Promise.all(Array.from({ length: 16 }, client));
  return asked / 4;
}
