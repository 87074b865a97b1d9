import { Pool } from 'pg';
import { type Corpus, type Engine, fuseByRank, portionsOfPlaces, wanted } from './corpus.ts';

/** Rows sent at once. */
const batchSize = 1000;

/** PostgreSQL with pgvector (HNSW) beside its full text search, fused by reciprocal rank. The extension has to be installed there. */
export async function openPgvector(corpus: Corpus, url: string): Promise<Engine> {
  const began = performance.now();
  // As many candidates as ours; behind a filter it scans on until there are enough.
  const options = '-c hnsw.ef_search=100 -c hnsw.iterative_scan=strict_order';
  const pool = new Pool({ connectionString: url, max: 16, options });
  await pool.query(`
    create extension if not exists vector;
    drop table if exists media_search_bench;
    create table media_search_bench (place int primary key, vector vector(${corpus.dimensions}), owner text, words tsvector);
  `);
  for (const places of portionsOfPlaces(corpus, batchSize)) {
    await pool.query(
      `insert into media_search_bench
       select * from unnest($1::int[], $2::text[]::vector[], $3::text[], $4::text[]::tsvector[])`,
      [
        places,
        places.map((place) => `[${corpus.vectorAt(place).join(',')}]`),
        places.map(corpus.ownerAt),
        places.map(corpus.textAt),
      ],
    );
  }
  await pool.query(`
    create index on media_search_bench using hnsw (vector vector_cosine_ops);
    create index on media_search_bench using gin (words);
    create index on media_search_bench (owner);
    analyze media_search_bench;
  `);
  const size = await pool.query<{ bytes: string }>(
    `select pg_relation_size(indexname::regclass) as bytes from pg_indexes where indexdef like '%hnsw%' and tablename = 'media_search_bench'`,
  );
  const ask = async (sql: string, values: unknown[]) =>
    (await pool.query<{ place: number }>(sql, values)).rows.map(({ place }) => place);
  const nearest = (vector: Float32Array, owner: string | null, count: number) =>
    ask(
      `select place from media_search_bench ${owner ? 'where owner = $3' : ''} order by vector <=> $1::vector limit $2`,
      [`[${vector.join(',')}]`, count, ...(owner ? [owner] : [])],
    );
  return {
    name: 'pgvector',
    corpus,
    buildSeconds: (performance.now() - began) / 1000,
    memory: Number(size.rows[0]?.bytes),
    async hybrid({ vector, text }, owner) {
      const said = ask(
        `select place from media_search_bench where words @@ $1::tsquery ${owner ? 'and owner = $3' : ''}
         order by ts_rank(words, $1::tsquery) desc limit $2`,
        [text, 100, ...(owner ? [owner] : [])],
      );
      const [near, holding] = await Promise.all([nearest(vector, owner, 100), said]);
      return fuseByRank(near, holding);
    },
    vector: ({ vector }) => nearest(vector, null, wanted),
    async close() {
      await pool.query('drop table media_search_bench');
      await pool.end();
    },
  };
}
