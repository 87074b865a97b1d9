import pg from 'pg';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { openVectors } from './bench/vectors.ts';
import { findNearChunks, readChunkCounts } from './server/catalog/postgres/near-chunks.ts';
pg.types.setTypeParser(20, Number);
const db = new Kysely<any>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: process.argv[2], max: 4 }) }) });
const src = await openVectors('/work/shared/data/vectors/clip-vitb16-2001x512.f32.bin', 512);
const ws = 'w30000'; const space = { workspaceId: ws, embedderId: 'clip@1', dimensions: 512 };
await sql`alter table media_items disable trigger user`.execute(db);
await sql`update media_items set creator_id = case when substr(id,2)::int % 50 = 0 then 'fiftieth' when substr(id,2)::int % 10 = 1 then 'tenth' when substr(id,2)::int % 2 = 0 then 'half' end where workspace_id=${ws}`.execute(db);
await sql`analyze`.execute(db);
const counts = await readChunkCounts(db, ws);
for (const filter of [{}, { creator_id: 'half' }, { creator_id: 'tenth' }, { creator_id: 'fiftieth' }] as any[]) for (const k of [10, 30, 100]) {
  let hit = 0, ms = 0, exactMs = 0; const n = 12;
  for (let i = 0; i < n; i++) {
    const query = src.near(i * 131 + 7), asked = { query, among: { filter, counts }, count: k };
    let t = performance.now(); const truth = new Set((await findNearChunks(db, space, asked, 1e9)).map((x) => x.number)); exactMs += performance.now() - t;
    t = performance.now(); const f = await findNearChunks(db, space, asked, 100); ms += performance.now() - t;
    hit += f.filter(({ number }) => truth.has(number)).length / k;
  }
  console.log(JSON.stringify(filter), k, 'recall', (hit / n).toFixed(3), 'index ms', (ms / n).toFixed(1), 'exact ms', (exactMs / n).toFixed(1));
}
await db.destroy();
