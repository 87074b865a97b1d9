import { createHash } from 'node:crypto';
import { mean } from '@media-search/search-engine/vectors';
import { sql } from 'kysely';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createWorkspace } from '../../../server/catalog/accounts/workspaces.ts';
import { openCatalogAt, serviceOptions } from '../../../server/catalog/catalog-location.ts';
import { dialectOf } from '../../../server/catalog/dialect/dialect.ts';
import { beginTimeline } from '../../../server/catalog/media/timelines.ts';
import { keepVectorIndexes } from '../../../server/catalog/postgres/vector-indexes.ts';
import type { Catalog } from '../../../server/catalog/schema.ts';
import { createSecrets } from '../../../server/platform/crypto/secrets.ts';
import { createStageTimer } from '../../../server/platform/metrics/stage-timer.ts';
import { type CatalogLocation } from '../../../server/platform/storage/data-directory.ts';
import { createPostgresRanker } from '../../../server/search/postgres/postgres-ranker.ts';
import { createSearchEngine, type SearchEngine } from '../../../server/search/search-engine.ts';
import { startEmbeddedSearch, startMemorySearch } from '../../../server/testing/memory-search.ts';
import { queryEmbedderOf } from '../../../server/testing/query-embedder.ts';
import { seedChunks } from '../../../server/testing/seed-chunks.ts';
import { temporaryDatabase, testDatabaseUrl } from '../../../server/testing/temporary-database.ts';
import { expectQuality } from '../expected-quality.ts';
import { makeQueries, ownerAt, perItem, type Query, textAt, wanted } from '../search/corpus.ts';
import { findExactly } from '../search/reference.ts';
import { leastSaved, waitForIndex } from '../seeded-service.ts';
import { openVectors, quantile, type VectorSource } from '../vectors.ts';

/**
 * Hybrid search over one workspace, asked by turns: by the embedded engine, by PostgreSQL itself, and by an index in memory that follows PostgreSQL, as the service has it once
 * the index is loaded.
 */

const dimensions = 512;
const embedderId = 'bench@1';

/** What is stored of chunks. Noting each as a change of its item is half of the time of storing so many at once, and not measured here: their items are noted by themselves. */
const chunkTables = ['chunks', 'chunk_vectors', 'chunk_segments'] as const;

/** Turns on or off what notes changes of chunks. */
async function setChangeTriggers(db: Catalog, state: 'enable' | 'disable'): Promise<void> {
  for (const table of chunkTables) {
    const { rows } = await sql<{ name: string }>`
      select tgname::text as name from pg_trigger where tgrelid = ${table}::regclass and starts_with(tgname::text, 'item_changes')
    `.execute(db);
    for (const { name } of rows) {
      await sql`alter table ${sql.table(table)} ${sql.raw(state)} trigger ${sql.id(name)}`.execute(db);
    }
  }
}

/** Every second item has this category, every hundredth that one. */
const categories = ['half', 'hundredth'] as const;

type Case = { name: string; ask: (engine: Engine, query: Queries, i: number) => Promise<number[]> };
type Queries = { one: Query[]; three: Query[] };

type Engine = {
  name: string;
  /** The least share of the embedded engine's hits that it has to find. */
  inCommon: number;
  /** Places of the hits of a hybrid search. */
  hybrid(query: Query, category?: string): Promise<number[]>;
  vector(query: Query): Promise<number[]>;
  close(): Promise<void>;
};

const at = <Value>(values: Value[], i: number): Value => values[i % values.length] as Value;

const cases: Case[] = [
  { name: 'one word and the vector', ask: (engine, { one }, i) => engine.hybrid(at(one, i)) },
  { name: 'three words and the vector', ask: (engine, { three }, i) => engine.hybrid(at(three, i)) },
  { name: 'the same, half pass a filter', ask: (engine, { three }, i) => engine.hybrid(at(three, i), 'half') },
  { name: 'the same, a hundredth passes', ask: (engine, { three }, i) => engine.hybrid(at(three, i), 'hundredth') },
  { name: 'the vector alone', ask: (engine, { one }, i) => engine.vector(at(one, i)) },
];

/** @param file real vectors of 512 dimensions, float32 of unit length */
export async function measureSearch(file: string | undefined, chunks: number, rounds: number): Promise<void> {
  const source = await openVectors(file, dimensions);
  const queries = makeQueries(source, { size: chunks, count: rounds });
  await using folder = await temporaryFolder();
  const engines = [await openEmbedded(folder, source, chunks)];
  await using database = testDatabaseUrl === undefined ? null : await temporaryDatabase();
  if (database) {
    const stored = await openPostgres(database.url, source, chunks);
    engines.push(stored.engine, await openFollowed(database.url, folder.file('followed'), stored));
  }
  const times = cases.map(() => engines.map((): number[] => []));
  const shared = cases.map(() => engines.map((): number[] => []));
  // The first answers of each are not counted: statements are prepared and memory is read then.
  for (let i = -3; i < rounds; i++) {
    for (const [c, { ask }] of cases.entries()) {
      const answers: number[][] = [];
      for (const [e, engine] of engines.entries()) {
        const began = performance.now();
        answers.push(await ask(engine, queries, i + 3));
        if (i >= 0) times[c]?.[e]?.push(performance.now() - began);
      }
      const [first = []] = answers;
      for (const [e, answer] of answers.entries()) {
        const common = first.filter((place) => answer.includes(place)).length;
        shared[c]?.[e]?.push(common / Math.max(1, first.length));
      }
    }
  }
  printTimes(chunks, engines, times, shared);
  await checkAnswers(engines, source, queries, chunks, shared);
  await printRates(engines, queries);
  for (const engine of engines) await engine.close();
}

/** Each engine finds what comparing all vectors finds, and both find the same by words. */
async function checkAnswers(
  engines: Engine[],
  source: VectorSource,
  queries: Queries,
  size: number,
  shared: number[][][],
): Promise<void> {
  const compared = Math.min(20, queries.one.length);
  const reference = findExactly({ ...source, size, textAt, ownerAt }, queries, compared);
  for (const engine of engines) {
    const recalls: number[] = [];
    for (const [i, query] of queries.one.slice(0, compared).entries()) {
      recalls.push(reference.vectorRecall(i, null, await engine.vector(query)));
    }
    expectQuality([{ name: `${engine.name}: recall at 10`, value: mean(recalls), least: 0.95 }]);
  }
  for (const [e, { name: engine, inCommon }] of engines.entries()) {
    expectQuality(
      cases.map(({ name }, c) => ({
        name: `${engine}, ${name}: hits in common with embedded`,
        value: mean(shared[c]?.[e] ?? []),
        least: inCommon,
      })),
    );
  }
}

function printTimes(chunks: number, engines: Engine[], times: number[][][], shared: number[][][]): void {
  console.log(`\n${chunks.toLocaleString('en')} chunks; p50 / p95, ms (ratio of p50 to embedded; hits in common)`);
  console.log(`| | ${engines.map(({ name }) => name).join(' | ')} |`);
  console.log(`| --- |${' --- |'.repeat(engines.length)}`);
  for (const [c, { name }] of cases.entries()) {
    const cells = engines.map((_, e) => {
      const [own, first] = [times[c]?.[e] ?? [], times[c]?.[0] ?? []];
      const ratio = quantile(own, 0.5) / quantile(first, 0.5);
      const common = mean(shared[c]?.[e] ?? []);
      return `${quantile(own, 0.5).toFixed(1)} / ${quantile(own, 0.95).toFixed(1)} (${ratio.toFixed(1)}; ${common.toFixed(2)})`;
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

/** Searches a second that sixteen clients get, and the processor time of this process for each. */
async function printRates(engines: Engine[], { three }: Queries): Promise<void> {
  const [clients, seconds] = [16, 5];
  console.log(
    '\n| sixteen clients, three words and the vector | searches a second | processor time of this process, ms |',
  );
  console.log('| --- | --- | --- |');
  for (const engine of engines) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    let done = 0;
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let i = client; performance.now() - began < seconds * 1000; i += clients, done++) {
          await engine.hybrid(at(three, i));
        }
      }),
    );
    const { user, system } = process.cpuUsage(used);
    const rate = done / ((performance.now() - began) / 1000);
    console.log(`| ${engine.name} | ${rate.toFixed(0)} | ${((user + system) / 1000 / done).toFixed(1)} |`);
  }
}

/** An embedder whose query vectors are known: what models take is measured elsewhere. */
function createEmbedder() {
  const vectors = new Map<string, Float32Array>();
  const embedText = (text: string) => Promise.resolve({ vector: vectors.get(text) ?? null, unknown: [] });
  return { vectors, embedder: queryEmbedderOf(embedderId, dimensions, embedText) };
}

async function openEmbedded(
  folder: Awaited<ReturnType<typeof temporaryFolder>>,
  source: VectorSource,
  chunks: number,
): Promise<Engine> {
  const file = folder.file('catalog.db');
  const { vectors, embedder } = createEmbedder();
  const { db, workspaceId, numbers } = await store({ file }, source, chunks);
  const search = startEmbeddedSearch({
    db,
    catalogFile: file,
    indexDirectory: folder.file('indexes'),
    getEmbedder: () => Promise.resolve(embedder),
    onProblem: (error) => console.error(error),
  });
  const began = performance.now();
  await search.warm(workspaceId);
  console.error(`embedded: index after ${seconds(began)} s`);
  if (chunks >= leastSaved) await waitForIndex(folder.file('indexes'));
  console.error(`embedded: complete after ${seconds(began)} s`);
  return toEngine('embedded', 1, { db, search, vectors, embedder, workspaceId, numbers });
}

type Stored = { workspaceId: string; numbers: number[] };

async function openPostgres(url: string, source: VectorSource, chunks: number): Promise<Stored & { engine: Engine }> {
  const { vectors, embedder } = createEmbedder();
  const { db, workspaceId, numbers } = await store({ url }, source, chunks);
  await setChangeTriggers(db, 'enable');
  const began = performance.now();
  await keepVectorIndexes(db, new AbortController().signal);
  console.error(`PostgreSQL: index after ${seconds(began)} s`);
  await sql`vacuum analyze`.execute(db);
  await printSizes(db, chunks);
  const getEmbedder = () => Promise.resolve(embedder);
  const search = createSearchEngine({ db, ranker: createPostgresRanker(db), getEmbedder });
  const engine = toEngine('PostgreSQL', 0.8, { db, search, vectors, embedder, workspaceId, numbers });
  return { engine, workspaceId, numbers };
}

/** The index in memory over what PostgreSQL holds, complete before it is asked. */
async function openFollowed(url: string, indexDirectory: string, { workspaceId, numbers }: Stored): Promise<Engine> {
  const { vectors, embedder } = createEmbedder();
  const db = await openCatalogAt({ url }, serviceOptions);
  await beginTimeline(db);
  const getEmbedder = () => Promise.resolve(embedder);
  const onProblem = (error: Error) => console.error(error);
  const search = startMemorySearch({ db, location: { url }, indexDirectory, getEmbedder, onProblem });
  const began = performance.now();
  await search.warm(workspaceId);
  console.error(`followed: index after ${seconds(began)} s`);
  if (numbers.length >= leastSaved) await waitForIndex(indexDirectory);
  console.error(`followed: complete after ${seconds(began)} s`);
  return toEngine('followed', 0.95, { db, search, vectors, embedder, workspaceId, numbers });
}

const seconds = (began: number): string => ((performance.now() - began) / 1000).toFixed(0);

/** Bytes a chunk of each table and index. */
async function printSizes(db: Catalog, chunks: number): Promise<void> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select relname::text as name, pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) as bytes
    from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace
    order by bytes desc limit 20
  `.execute(db);
  console.log(`\n| PostgreSQL, ${chunks.toLocaleString('en')} chunks | MB | bytes a chunk |\n| --- | --- | --- |`);
  for (const { name, bytes } of rows) {
    console.log(`| ${name} | ${(bytes / 1e6).toFixed(1)} | ${(bytes / chunks).toFixed(0)} |`);
  }
}

type Parts = {
  db: Catalog;
  search: SearchEngine;
  vectors: Map<string, Float32Array>;
  embedder: ReturnType<typeof createEmbedder>['embedder'];
  workspaceId: string;
  numbers: number[];
};

function toEngine(
  name: string,
  inCommon: number,
  { db, search, vectors, embedder, workspaceId, numbers }: Parts,
): Engine {
  const places = new Map(numbers.map((number, place) => [number, place]));
  const options = () => ({ count: wanted, dedupe: false, timer: createStageTimer() });
  const toPlaces = (hits: { chunk: { number: number } }[]) => hits.map(({ chunk }) => places.get(chunk.number) ?? -1);
  return {
    name,
    inCommon,
    async hybrid({ vector, words }, category) {
      const text = words.join(' ');
      vectors.set(text, vector);
      const filter = category === undefined ? {} : { category_id: category };
      return toPlaces((await search.searchByText(workspaceId, text, filter, options())).hits);
    },
    vector: async ({ vector }) =>
      toPlaces((await search.searchByVector(workspaceId, { vector, embedder }, {}, options())) ?? []),
    async close() {
      await search.stop();
      await db.destroy();
    },
  };
}

/** Stores what is searched as indexing would. */
async function store(
  location: CatalogLocation,
  source: VectorSource,
  chunks: number,
): Promise<{ db: Catalog; workspaceId: string; numbers: number[] }> {
  const db = await openCatalogAt(location, serviceOptions);
  const secrets = createSecrets(createHash('sha256').update('bench').digest());
  const { id: workspaceId } = await createWorkspace(db, secrets, { workspace: 'Bench', owner: 'Bench' });
  await db.insertInto('embedders').values({ id: embedderId, reference: '{}' }).execute();
  await db.updateTable('workspaces').set({ embedder_id: embedderId }).execute();
  if (dialectOf(db).name === 'postgres') {
    await setChangeTriggers(db, 'disable');
  }
  const began = performance.now();
  const numbers = await seedChunks(db, workspaceId, embedderId, { count: chunks, perItem }, (place) => ({
    vector: source.vectorAt(place),
    text: textAt(place),
  }));
  for (const category of categories) {
    const every = category === 'half' ? 2 : 100;
    const first = numbers.filter((_, place) => place % (every * perItem) === (category === 'half' ? 0 : perItem));
    await sql`
      update media_items set category_id = ${category} where workspace_id = ${workspaceId} and id in (
        select media_id from chunks where workspace_id = ${workspaceId} and number in ${dialectOf(db).numbersIn(first)})
    `.execute(db);
  }
  console.error(`${dialectOf(db).name}: ${chunks} chunks stored in ${seconds(began)} s`);
  return { db, workspaceId, numbers };
}
