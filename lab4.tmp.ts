process.env['TEST_DATABASE_URL'] = process.argv[2]!;
const { openFresh } = await import('./server/testing/fresh-catalog.ts');
const { createRandom, drawClusters } = await import('./server/testing/random.ts');
const { seedChunks } = await import('./server/testing/seed-chunks.ts');
const { createSecrets } = await import('./server/crypto/secrets.ts');
const { createWorkspace } = await import('./server/catalog/workspaces.ts');
const { textAt } = await import('./bench/search/corpus.ts');
const { sql } = await import('kysely'); const fs = await import('node:fs');
const v = drawClusters(createRandom(3), { count: 5000, clusters: 40, dimensions: 512 });
const cpu = (pid: number) => { const f = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(' '); return (Number(f[13]) + Number(f[14])) / 100; };
for (const off of [[], ['item_changes_new_chunk:chunks', 'item_changes_vector:chunk_vectors', 'item_changes_text_link:chunk_segments']]) {
  await using c = await openFresh('postgres'); const { db } = c;
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'T', owner: 'T' });
  for (const o of off) { const [n, t] = o.split(':'); await sql`alter table ${sql.table(t!)} disable trigger ${sql.id(n!)}`.execute(db); }
  const pids = async () => (await sql<any>`select pid from pg_stat_activity where datname = current_database() and backend_type='client backend'`.execute(db)).rows.map((r: any) => r.pid);
  const sum = async () => (await pids()).reduce((s: number, p: number) => s + cpu(p), 0);
  for (const text of [false, true]) {
    const b = await sum(), t = performance.now(), u = process.cpuUsage();
    await seedChunks(db, id, 'test@1', { count: 5000, perItem: 10 }, (i) => ({ vector: v[i]!, ...(text ? { text: textAt(i) } : {}) }));
    const w = process.cpuUsage(u);
    console.log(off.length ? 'without' : 'with', 'triggers', text ? 'texts' : 'no texts', 'server cpu', ((await sum()) - b).toFixed(2), 's; clock', ((performance.now() - t) / 1000).toFixed(1), 'own cpu', ((w.user + w.system) / 1e6).toFixed(1));
  }
}
