import { Pool } from 'pg';
import { type Corpus, depth, type Filter, perItem, portionsOfPlaces, type Query, wanted } from './corpus.ts';
import { type Engine, fuseByRank, type OpenEngine, type ShownHit } from './engine.ts';
import { processTree } from './memory.ts';

/** Rows sent at once. */
const batchSize = 1000;

/**
 * PostgreSQL with pgvector (HNSW) beside its full text search, fused by reciprocal rank. The extension has to be installed at
 * `DATABASE_URL`. Its text ranking is not BM25: `ts_rank`, divided by the length of the text.
 */
export const openPgvector: OpenEngine = async ({ corpus, isBuilt }): Promise<Engine> => {
  const table = `media_search_bench_${corpus.size}`;
  const connect = (ef: number) =>
    new Pool({
      connectionString: process.env['DATABASE_URL'],
      max: 16,
      // Behind a filter it scans on until there are enough.
      options: `-c hnsw.ef_search=${ef} -c hnsw.iterative_scan=strict_order`,
    });
  let pool = connect(depth);
  if (!isBuilt) await build(pool, table, corpus);
  // Prepared once a connection.
  const ask = async (name: string, text: string, values: unknown[]) =>
    (await pool.query<{ place: number }>({ name, text, values })).rows.map(({ place }) => place);
  const nearest = (vector: Float32Array, filter: Filter, count: number) =>
    ask(
      `near ${filter}`,
      `select place from ${table} ${filter ? `where owner = '${filter}'` : ''} order by vector <=> $1::vector limit $2`,
      [`[${vector.join(',')}]`, count],
    );
  const holding = (words: string[], filter: Filter) =>
    ask(
      `holding ${filter}`,
      `select place from ${table} where words @@ $1::tsquery ${filter ? `and owner = '${filter}'` : ''}
       order by ts_rank(words, $1::tsquery, 2) desc limit $2`,
      [words.join(' | '), depth],
    );
  const hybrid = async ({ vector, words }: Query, filter: Filter) => {
    const [near, said] = await Promise.all([nearest(vector, filter, depth), holding(words, filter)]);
    return fuseByRank(near, said).slice(0, wanted);
  };
  const added: number[] = [];
  let next = corpus.size;
  return {
    efforts: [20, 40, 70, 100, 150, 200, 300, 500].map((ef) => ({
      name: `ef_search ${ef}`,
      async use() {
        await pool.end();
        pool = connect(ef);
      },
    })),
    hybrid,
    shown: async (query, filter) => readShown(pool, table, await hybrid(query, filter)),
    vector: ({ vector }, filter) => nearest(vector, filter, wanted),
    async add(sources) {
      const places = sources.map((_, i) => next + i);
      await insert(pool, table, corpus, places, sources);
      added.push(...places);
      next += sources.length;
    },
    async removeAdded() {
      await pool.query(`delete from ${table} where place = any($1)`, [added.splice(0, perItem)]);
    },
    async processes() {
      const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
      return processTree(rows[0]?.pid ?? 0);
    },
    async close() {
      await pool.end();
    },
  };
};

/** What a page shows of some places, in their order. */
async function readShown(pool: Pool, table: string, places: number[]): Promise<ShownHit[]> {
  const { rows } = await pool.query<ShownHit>({
    name: 'shown',
    text: `select place, text, owner from ${table} where place = any($1::int[]) order by array_position($1::int[], place)`,
    values: [places],
  });
  return rows;
}

async function build(pool: Pool, table: string, corpus: Corpus): Promise<void> {
  await pool.query(`
    create extension if not exists vector;
    drop table if exists ${table};
    create table ${table} (place int primary key, vector vector(${corpus.dimensions}), owner text, text text, words tsvector);
  `);
  for (const places of portionsOfPlaces(corpus, batchSize)) await insert(pool, table, corpus, places, places);
  await pool.query(`
    create index on ${table} using hnsw (vector vector_cosine_ops);
    create index on ${table} using gin (words);
    create index on ${table} (owner);
  `);
  await pool.query(`vacuum analyze ${table}`);
}

/** Stores vectors and texts of some places of the corpus, the sources, as other places. */
async function insert(pool: Pool, table: string, corpus: Corpus, places: number[], sources: number[]): Promise<void> {
  await pool.query(
    `insert into ${table}
     select place, vector, owner, text, to_tsvector('simple', text)
     from unnest($1::int[], $2::text[]::vector[], $3::text[], $4::text[]) as row (place, vector, owner, text)`,
    [
      places,
      sources.map((source) => `[${corpus.vectorAt(source).join(',')}]`),
      sources.map(corpus.ownerAt),
      sources.map(corpus.textAt),
    ],
  );
}
