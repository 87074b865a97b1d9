import { sql } from 'kysely';
import type { Dialect } from './dialect.ts';

export const sqlite: Dialect = {
  name: 'sqlite',
  numbersIn: (numbers) => sql`(select value from json_each(${JSON.stringify(numbers)}))`,
  textsIn: (texts) => sql`(select value from json_each(${JSON.stringify(texts)}))`,
  // The condition lets SQLite tell `on conflict` from a join.
  rowsIn: (columns, rows) =>
    sql`select ${sql.join(Object.keys(columns).map((column) => sql`value ->> ${sql.lit(column)}`))} from json_each(${JSON.stringify(rows)}) where true`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  lower: (text) => sql`lower(${text})`,
  withoutIndex: (column) => sql`+${sql.ref(column)}`,
  orderedJoin: sql`cross join`,
  // A transaction that begins as a writer is the only one, so that nothing has to be locked.
  lockingFirst: sql``,
  vector: ({ buffer, byteOffset, byteLength }) => sql`${Buffer.from(buffer, byteOffset, byteLength)}`,
  vectorBytes: (column) => sql.ref(column),
  decodeVector,
  transaction: (db, _scope, work) => db.transaction().execute(work),
};

/** Little-endian float32. */
function decodeVector(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes;
  // A Float32Array must begin at a multiple of four bytes; otherwise the bytes are copied.
  return byteOffset % 4 === 0
    ? new Float32Array(buffer, byteOffset, byteLength / 4)
    : new Float32Array(new Uint8Array(bytes).buffer);
}
