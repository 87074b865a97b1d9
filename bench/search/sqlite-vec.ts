import SQLite from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';
import { type Corpus, type Engine, fuseByRank, wanted } from './corpus.ts';

/** sqlite-vec, which compares all vectors, beside SQLite's FTS5, fused by reciprocal rank. */
export async function openSqliteVec(corpus: Corpus, file: string): Promise<Engine> {
  const began = performance.now();
  const db = new SQLite(file);
  db.loadExtension(getLoadablePath());
  db.pragma('journal_mode = WAL');
  db.exec(`
    create virtual table vectors using vec0(
      place integer primary key, vector float[${corpus.dimensions}] distance_metric=cosine, owner text
    );
    create virtual table texts using fts5(text, owner unindexed);
  `);
  const addVector = db.prepare('insert into vectors (place, vector, owner) values (?, ?, ?)');
  const addText = db.prepare('insert into texts (rowid, text, owner) values (?, ?, ?)');
  db.transaction(() => {
    for (let place = 0; place < corpus.size; place++) {
      addVector.run(BigInt(place), new Uint8Array(corpus.vectorAt(place).buffer), corpus.ownerAt(place));
      addText.run(place, corpus.textAt(place), corpus.ownerAt(place));
    }
  })();
  const nearest = db.prepare('select place from vectors where vector match ? and k = ?').pluck();
  const nearestOf = db.prepare('select place from vectors where vector match ? and k = ? and owner = ?').pluck();
  const holding = db.prepare('select rowid from texts where texts match ? order by rank limit ?').pluck();
  const holdingOf = db
    .prepare('select rowid from texts where texts match ? and owner = ? order by rank limit ?')
    .pluck();
  const bytes = (vector: Float32Array) => new Uint8Array(vector.buffer);
  return {
    name: 'sqlite-vec',
    corpus,
    buildSeconds: (performance.now() - began) / 1000,
    async hybrid({ vector, text }, owner) {
      const near = owner ? nearestOf.all(bytes(vector), 100, owner) : nearest.all(bytes(vector), 100);
      const said = owner ? holdingOf.all(`"${text}"`, owner, 100) : holding.all(`"${text}"`, 100);
      return fuseByRank(near as number[], said as number[]);
    },
    vector: async ({ vector }) => nearest.all(bytes(vector), wanted) as number[],
    async close() {
      db.close();
    },
  };
}
