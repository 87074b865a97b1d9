import { Kysely, PostgresDialect, sql, CompiledQuery } from 'kysely';
import pg from 'pg';
import { openVectors } from './bench/vectors.ts';
import { findNearChunks, readChunkCounts } from './server/catalog/postgres/near-chunks.ts';
pg.types.setTypeParser(20, Number);
const seen: CompiledQuery[] = [];
const pool = new pg.Pool({ connectionString: process.argv[2], max: 4 });
const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }), log: (e) => seen.push(e.query) });
const src = await openVectors('/work/shared/data/vectors/clip-vitb16-2001x512.f32.bin', 512);
const ws = 'w30000';
const space = { workspaceId: ws, embedderId: 'clip@1', dimensions: 512 };
const counts = await readChunkCounts(db, ws);
for (const filter of [{}, { type: 'video' }, { category_id: 'c5' }] as any[]) {
  seen.length = 0;
  await findNearChunks(db, space, { query: src.near(3), among: { filter, counts }, count: 30 });
  const q = seen.find((s) => /<=>/.test(s.sql))!;
  const c = await pool.connect();
  await c.query('begin');
  await c.query(
    "select set_config('hnsw.ef_search','200',true), set_config('hnsw.iterative_scan','relaxed_order',true)",
  );
  const r = await c.query('explain (analyze, buffers, costs off) ' + q.sql, q.parameters as any[]);
  await c.query('rollback');
  c.release();
  console.log(JSON.stringify(filter));
  console.log(
    r.rows
      .map((x: any) => x['QUERY PLAN'])
      .join('\n')
      .replace(/'?\[[-0-9.,e]{60,}\]'?/g, 'Q'),
  );
}
await db.destroy();
