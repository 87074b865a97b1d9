import path from 'node:path';
import SQLite from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';
import { type Corpus, depth, type Filter, perItem, type Query, wanted } from './corpus.ts';
import { type Engine, fuseByRank, type OpenEngine, type ShownHit } from './engine.ts';

/** sqlite-vec, which compares all vectors, beside SQLite's FTS5, fused by reciprocal rank. */
export const openSqliteVec: OpenEngine = async ({ corpus, folder, isBuilt }): Promise<Engine> => {
  const db = new SQLite(path.join(folder, 'sqlite-vec.db'));
  db.loadExtension(getLoadablePath());
  db.pragma('journal_mode = WAL');
  db.exec(`
    create virtual table if not exists vectors using vec0(
      place integer primary key, vector float[${corpus.dimensions}] distance_metric=cosine, owner text
    );
    create virtual table if not exists texts using fts5(text, owner unindexed);
  `);
  const addVector = db.prepare('insert into vectors (place, vector, owner) values (?, ?, ?)');
  const addText = db.prepare('insert into texts (rowid, text, owner) values (?, ?, ?)');
  const insert = (place: number, source: number) => {
    const owner = corpus.ownerAt(source);
    addVector.run(BigInt(place), bytes(corpus.vectorAt(source)), owner);
    addText.run(place, corpus.textAt(source), owner);
  };
  if (!isBuilt) {
    db.transaction(() => {
      for (let place = 0; place < corpus.size; place++) insert(place, place);
    })();
  }
  const nearest = db.prepare('select place from vectors where vector match ? and k = ?').pluck();
  const nearestOf = db.prepare('select place from vectors where vector match ? and k = ? and owner = ?').pluck();
  const holding = db.prepare('select rowid from texts where texts match ? order by rank limit ?').pluck();
  const holdingOf = db
    .prepare('select rowid from texts where texts match ? and owner = ? order by rank limit ?')
    .pluck();
  const near = (vector: Float32Array, count: number, filter: string | null) =>
    (filter ? nearestOf.all(bytes(vector), count, filter) : nearest.all(bytes(vector), count)) as number[];
  const hybrid = ({ vector, words }: Query, filter: Filter) => {
    const any = words.join(' OR ');
    const said = filter ? holdingOf.all(any, filter, depth) : holding.all(any, depth);
    return fuseByRank(near(vector, depth, filter), said as number[]).slice(0, wanted);
  };
  const shown = db.prepare('select rowid as place, text, owner from texts where rowid = ?');
  return {
    efforts: [{ name: 'exact', use: () => undefined }],
    hybrid: async (query, filter) => hybrid(query, filter),
    shown: async (query, filter) => hybrid(query, filter).map((place) => shown.get(place) as ShownHit),
    vector: async ({ vector }, filter) => near(vector, wanted, filter),
    ...createChanges(db, corpus, insert),
    async close() {
      db.close();
    },
  };
};

const bytes = (vector: Float32Array) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

function createChanges(
  db: SQLite.Database,
  corpus: Corpus,
  insert: (place: number, source: number) => void,
): Pick<Engine, 'add' | 'removeAdded'> {
  const removeVector = db.prepare('delete from vectors where place = ?');
  const removeText = db.prepare('delete from texts where rowid = ?');
  const added: number[] = [];
  let next = corpus.size;
  return {
    async add(sources) {
      db.transaction(() => {
        for (const [i, source] of sources.entries()) insert(next + i, source);
      })();
      for (const [i] of sources.entries()) added.push(next + i);
      next += sources.length;
    },
    async removeAdded() {
      db.transaction(() => {
        for (const place of added.splice(0, perItem)) {
          removeVector.run(BigInt(place));
          removeText.run(place);
        }
      })();
    },
  };
}
