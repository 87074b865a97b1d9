import { createHash } from 'node:crypto';
import { toUnit } from '@media-search/search-engine/vectors';
import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { createWorkspace } from '../../../server/catalog/accounts/workspaces.ts';
import { openCatalogAt, serviceOptions } from '../../../server/catalog/catalog-location.ts';
import { catchUpTexts } from '../../../server/catalog/postgres/write-texts.ts';
import type { Catalog } from '../../../server/catalog/schema.ts';
import { distributeCatalog } from '../../../server/operations/transfer/distribute.ts';
import { createSecrets } from '../../../server/platform/crypto/secrets.ts';
import { createStageTimer } from '../../../server/platform/metrics/stage-timer.ts';
import { createPostgresRanker } from '../../../server/search/postgres/postgres-ranker.ts';
import { createSearchEngine, type SearchEngine } from '../../../server/search/search-engine.ts';
import { queryEmbedderOf } from '../../../server/testing/query-embedder.ts';
import { seedChunks } from '../../../server/testing/seed-chunks.ts';
import { makeQueries, perItem, type Queries, type Query, textAt, wanted } from '../search/corpus.ts';
import { createRandom, quantile, type VectorSource } from '../vectors.ts';

/** The same storing and searching on one server and on the nodes of Citus, by turns. */

const dimensions = 512;
const embedderId = 'bench@1';
const workspaceCount = 8;
const [clients, seconds] = [8, 5];

/** Every chunk is compared, so how vectors are distributed changes nothing. */
const randomVectors: VectorSource = {
  dimensions,
  vectorAt: (place) => drawVector(createRandom('vector', place)),
  near: (place) => drawVector(createRandom('query', place)),
};

const drawVector = (random: () => number): Float32Array =>
  toUnit(Float32Array.from({ length: dimensions }, () => random() - 0.5));

type Side = { name: string; db: Catalog; workspaces: string[]; ask(workspaceId: string, query: Query): Promise<void> };

type Options = { one: string | undefined; nodes: string | undefined; chunks: number; rounds: number };

/**
 * @param one URL of an empty database on one server
 * @param nodes URL of an empty database on the coordinator of a cluster
 * @param chunks of all workspaces together
 */
export async function measureCitus({ one, nodes, chunks, rounds }: Options): Promise<void> {
  if (one === undefined || nodes === undefined) {
    throw new Error(
      'The part citus needs two empty databases, which it fills: --one postgres://… of a single server with pgvector, and --nodes postgres://… of a coordinator of Citus whose nodes are added and have pgvector.',
    );
  }
  const sides = [await openSide('one server', one), await openSide('Citus', nodes)];
  const { nodes: count, shards } = await distributeCatalog((sides[1] as Side).db);
  console.log(
    `\n${chunks.toLocaleString('en')} chunks in ${workspaceCount} workspaces; ${count} nodes, ${shards} shards`,
  );
  const perWorkspace = Math.ceil(chunks / workspaceCount);
  const queries = makeQueries(randomVectors, { size: perWorkspace, count: rounds });
  printCases([
    [`storing ${perWorkspace.toLocaleString('en')} chunks`, await measureStoring(sides, perWorkspace)],
    ...(await measureSearches(sides, queries, rounds)),
  ]);
  await printRates(sides, queries);
  await printTasks(sides[1] as Side, queries);
  for (const { db } of sides) await db.destroy();
}

async function openSide(name: string, url: string): Promise<Side> {
  const db = await openCatalogAt({ url }, serviceOptions);
  const { length } = await db.selectFrom('workspaces').select('id').execute();
  if (length > 0) throw new Error(`The database for ${name} holds a catalog: name an empty one.`);
  return { name, db, workspaces: [], ask: askWith(openSearch(db)) };
}

const vectors = new Map<string, Float32Array>();
const embedder = queryEmbedderOf(embedderId, dimensions, (text) =>
  Promise.resolve({ vector: vectors.get(text) ?? null, unknown: [] }),
);

const openSearch = (db: Catalog): SearchEngine =>
  createSearchEngine({ db, ranker: createPostgresRanker(db), getEmbedder: () => Promise.resolve(embedder) });

const askWith = (search: SearchEngine) => async (workspaceId: string, query: Query) => {
  const text = query.words.join(' ');
  vectors.set(text, query.vector);
  const options = { count: wanted, dedupe: false, timer: createStageTimer() };
  const { hits } = await search.searchByText(workspaceId, text, {}, options);
  if (hits.length < wanted) throw new Error(`A search found ${hits.length} of ${wanted} hits.`);
};

/** @returns milliseconds of each side */
async function inTurns(sides: Side[], turn: number, work: (side: Side) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const order = sides.map((side, place) => ({ side, place }));
  // The order alternates, because the load of the machine changes too.
  for (const { side, place } of turn % 2 === 0 ? order : order.toReversed()) {
    const began = performance.now();
    await work(side);
    times[place] = performance.now() - began;
  }
  return times;
}

/** Stores each workspace on both sides. @returns milliseconds for a workspace, with its texts indexed, of each side */
async function measureStoring(sides: Side[], count: number): Promise<number[][]> {
  const secrets = createSecrets(createHash('sha256').update('bench').digest());
  for (const { db } of sides) await db.insertInto('embedders').values({ id: embedderId, reference: '{}' }).execute();
  const times: number[][] = [];
  for (let i = 0; i < workspaceCount; i++) {
    for (const { db, workspaces } of sides) {
      const { id } = await createWorkspace(db, secrets, { workspace: `Bench ${i}`, owner: 'Bench' });
      await db.updateTable('workspaces').set({ embedder_id: embedderId }).where('id', '=', id).execute();
      workspaces.push(id);
    }
    const ofTurn = await inTurns(sides, i, async ({ db, workspaces }) => {
      const id = workspaces[i] as string;
      await seedChunks(db, id, embedderId, { count, perItem }, (place) => ({
        vector: randomVectors.vectorAt(i * count + place),
        text: textAt(i * count + place),
      }));
      await catchUpTexts(db, id);
    });
    console.error(`workspace ${i + 1} stored: ${ofTurn.map((each) => (each / 1000).toFixed(1)).join(' and ')} s`);
    times.push(ofTurn);
  }
  for (const { db } of sides) await sql`vacuum analyze`.execute(db);
  return times;
}

type Measured = [name: string, times: number[][]];

async function measureSearches(sides: Side[], { one, three }: Queries, rounds: number): Promise<Measured[]> {
  const cases: [string, Query[], number[][]][] = [
    ['one word and the vector', one, []],
    ['three words and the vector', three, []],
  ];
  for (let i = -workspaceCount; i < rounds; i++) {
    const place = i + workspaceCount;
    for (const [, queries, times] of cases) {
      const query = queries[place % queries.length] as Query;
      const ofTurn = await inTurns(sides, i, (side) =>
        side.ask(side.workspaces[place % workspaceCount] as string, query),
      );
      // The first answer of each workspace is not counted: statements are prepared and samples are read then.
      if (i >= 0) times.push(ofTurn);
    }
  }
  return cases.map(([name, , times]) => [name, times]);
}

function printCases(measured: Measured[]): void {
  console.log('\n| medians, ms | one server | Citus | ratio of medians | quartiles of the ratio |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const [name, times] of measured) {
    const [first, second] = [0, 1].map((side) =>
      quantile(
        times.map((turn) => turn[side] as number),
        0.5,
      ),
    );
    const ratios = times.map(([a = 0, b = 0]) => b / a);
    const quartiles = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2)).join(' to ');
    const [a = 0, b = 0] = [first, second];
    console.log(`| ${name} | ${a.toFixed(1)} | ${b.toFixed(1)} | ${(b / a).toFixed(2)} | ${quartiles} |`);
  }
}

/** Searches a second that eight clients get over all workspaces. */
async function printRates(sides: Side[], { three }: Queries): Promise<void> {
  const counts: number[][] = [];
  for (let turn = 0; turn < 4; turn++) {
    const done = new Map<Side, number>();
    await inTurns(sides, turn, async (side) => {
      const until = performance.now() + 1000 * seconds;
      let answered = 0;
      await Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          for (let i = client; performance.now() < until; i += clients, answered++) {
            await side.ask(side.workspaces[i % workspaceCount] as string, three[i % three.length] as Query);
          }
        }),
      );
      done.set(side, answered / seconds);
    });
    counts.push(sides.map((side) => done.get(side) ?? 0));
  }
  const [a = 0, b = 0] = [0, 1].map((side) =>
    quantile(
      counts.map((turn) => turn[side] as number),
      0.5,
    ),
  );
  console.log(
    `\n${clients} clients, searches a second: ${a.toFixed(0)} and ${b.toFixed(0)}, ratio ${(b / a).toFixed(2)}`,
  );
}

/** The statements of one search, each with the shards that it asks. */
async function printTasks({ db, workspaces }: Side, { three }: Queries): Promise<void> {
  const asked: RootOperationNode[] = [];
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => (asked.push(node), node),
    transformResult: ({ result }) => Promise.resolve(result),
  };
  await askWith(openSearch(db.withPlugin(recorder)))(workspaces[0] as string, three[0] as Query);
  console.log('\n| statement of a search | tasks |\n| --- | --- |');
  for (const node of asked) {
    const { sql: text, parameters } = db.getExecutor().compileQuery(node, createQueryId());
    const found = text.matchAll(/(?:from|join) "?([a-z]+_[a-z_]+|chunks)"?/gi);
    const tables = [...new Set([...found].map(([, table]) => table))];
    if (tables.length === 0) continue;
    const { rows } = await db.executeQuery<Record<string, string>>(
      CompiledQuery.raw(`explain (costs off) ${text}`, [...parameters]),
    );
    const plan = rows.flatMap((row) => Object.values(row)).join('\n');
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, tasksOf]) => tasksOf);
    console.log(`| ${tables.join(', ')} | ${tasks.length > 0 ? tasks.join(' + ') : 'none: on each node'} |`);
  }
}
