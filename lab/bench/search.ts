import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { expectQuality } from './expected-quality.ts';
import { type Material, openCorpus, readQueries, writeVectors } from './search/corpus.ts';
import { type EngineClient, startEngine } from './search/engine-client.ts';
import type { EngineName, Opened } from './search/engine-process.ts';
import { cases, chooseEffort, type Contestant, type Measured, measureAll, measureQuality } from './search/measure.ts';
import type { Memory } from './search/memory.ts';
import { findExactly, type Reference } from './search/reference.ts';
import { printReport } from './search/report.ts';

/**
 * Hybrid search over many chunks by our engine, zvec, LanceDB, sqlite-vec, and PostgreSQL with pgvector when `DATABASE_URL` is set. Each
 * engine has a process of its own, which asks it in the way in which our service asks ours. All are asked each query by turns in the same
 * run, and all rank every match of the text part.
 *
 *     npm run bench:install && npm run node -- lab/bench/search.ts --vectors <file of float32> [--chunks 100000] [--also 1000000] [--rounds 200]
 *         [--engine ours --engine zvec …] [--keep <folder>] [--quality]
 *
 * - Queries: one word and three words beside a vector, ranked alone and with hits that can be shown, and the vector alone; no filter, and
 *   filters that half, a hundredth and a ten-thousandth pass. p50 and p99.
 * - Settings: the quickest of each engine whose recall at 10 is not more than 0.005 below that of ours (ours: as it is).
 * - Quality: the share of the first ten of an exact reference that are found: of the vectors, and of the hybrid order by the engine's own rule.
 *   Exits with 1 when ours finds less than expected, or shows a hit with the text of another. With `--quality` nothing else is measured.
 * - Build: from the first insert to the first complete answer: rows, vectors, texts and indexes. Restart: a new process with the
 *   data of before, until its first answer (PostgreSQL keeps running). Memory is what the new process has more than before it loaded the engine, with
 *   compiled modules from a cache, as the service has them. What it has over 1,000 chunks (code, threads) is told apart.
 * - 16 clients, and one client beside ten uploads a minute and as many deletes, by turns with none.
 *
 * `--also` adds each engine over another number of chunks, to the same turns. `--keep` keeps what was built for the next run, with the
 * time that it took. A million chunks take 5 GB of disk and 4 GB of memory for each engine.
 */

const { values } = parseArgs({
  options: {
    vectors: { type: 'string' },
    chunks: { type: 'string', default: '100000' },
    also: { type: 'string' },
    rounds: { type: 'string', default: '200' },
    engine: { type: 'string', multiple: true, default: ['ours', 'zvec', 'LanceDB', 'sqlite-vec', 'pgvector'] },
    'also-engine': { type: 'string', multiple: true },
    keep: { type: 'string' },
    quality: { type: 'boolean', default: false },
  },
});
/** Queries that are compared with the exact reference. */
const referenceCount = 50;
/** So few chunks take next to no memory themselves. */
const fewChunks = 1000;

await using temporary = await temporaryFolder();
const folder = values.keep ?? temporary.path;
const rounds = Number(values.rounds);
const contestants: Contestant[] = [];
const references = new Map<number, Reference>();
await addSize(Number(values.chunks), values.engine);
if (values.also) await addSize(Number(values.also), values['also-engine'] ?? values.engine);
for (const contestant of contestants) {
  contestant.quality = await measureQuality(contestant, references.get(contestant.size) as Reference);
}
if (!values.quality) {
  const measured: Measured = await measureAll(contestants, rounds);
  printReport(contestants, measured);
}
for (const { name, size, quality } of contestants.filter(({ name }) => name === 'ours')) {
  expectQuality(
    cases.map((each, place) => ({
      name: `${name}, ${size} chunks, ${each.name}: the share of the exact first ten`,
      value: quality[place] ?? NaN,
      least: each.least,
    })),
  );
}
for (const { client } of contestants) await client.close();

/** Builds what is missing of the engines over so many chunks, and opens them again, each in a new process. */
async function addSize(size: number, names: string[]): Promise<void> {
  const material = await prepare(size);
  references.set(size, findExactly(openCorpus(material), await readQueries(material), referenceCount));
  let target: number | undefined;
  for (const name of names as EngineName[]) {
    if (name === 'pgvector' && !process.env['DATABASE_URL']) continue;
    const place = path.resolve(folder, `${name}-${size}`);
    const built = await build(name, material, place);
    const client = startEngine();
    const opened = await client.open(name, material, place, true);
    const contestant: Contestant = { name, size, client, built, opened, sweep: [], effort: '', quality: [] };
    contestants.push(contestant);
    await chooseEffort(contestant, references.get(size) as Reference, target);
    if (name === 'ours') target = contestant.sweep[0]?.recall;
    contestant.memory = await measureMemory(client);
    contestant.memoryOfFew = await measureFew(name);
    console.error(`${name}, ${size} chunks: built in ${built.seconds.toFixed(0)} s, ${contestant.effort}`);
  }
}

async function measureMemory(client: EngineClient): Promise<Memory> {
  for (let i = 0; i < 20; i++) await client.ask(i % 2 === 0 ? 'one' : 'three', i, null);
  return client.memory();
}

/** What an engine takes whatever it holds: its memory over few chunks. Not for PostgreSQL, whose tables are one size at a time. */
async function measureFew(name: EngineName): Promise<Memory | undefined> {
  const known = contestants.find((one) => one.name === name)?.memoryOfFew;
  if (known || name === 'pgvector') return known;
  const material = await prepare(fewChunks);
  const place = path.resolve(folder, `${name}-${fewChunks}`);
  await build(name, material, place);
  const client = startEngine();
  await client.open(name, material, place, true);
  const memory = await measureMemory(client);
  await client.close();
  return memory;
}

async function prepare(size: number): Promise<Material> {
  await mkdir(folder, { recursive: true });
  const material = {
    sourceFile: path.resolve(values.vectors ?? ''),
    vectorFile: path.resolve(folder, `vectors-${size}`),
    size,
    dimensions: 512,
    queries: Math.max(rounds, referenceCount),
  };
  await writeVectors(material);
  return material;
}

/** Builds an engine's data in a process that ends then, unless an earlier run has kept them. */
async function build(name: EngineName, material: Material, place: string): Promise<Opened> {
  const note = path.join(place, 'built.json');
  const known = await readFile(note, 'utf8').catch(() => null);
  if (known !== null) return JSON.parse(known) as Opened;
  await mkdir(place, { recursive: true });
  const client = startEngine();
  const opened = await client.open(name, material, place, false);
  await client.close();
  await writeFile(note, JSON.stringify(opened));
  return opened;
}
