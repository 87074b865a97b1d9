import { type RawBuilder, sql } from 'kysely';
import type { ColumnType, ColumnValues, Dialect, RowsOf } from './differences.ts';

export const sqlite: Dialect = {
  name: 'sqlite',
  numbersIn: (numbers) => sql`(select value from json_each(${JSON.stringify(numbers)}))`,
  textsIn: (texts) => sql`(select value from json_each(${JSON.stringify(texts)}))`,
  rowsIn: selectRows,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  // The function is one of each connection (`open-catalog.ts`); only texts with letters beyond ASCII are worth its call.
  holds: (text, folded) => sql`(instr(lower(${text}), ${folded}) > 0
    or (${text} glob ${'*[^\x01-\x7f]*'} and instr(fold_text(${text}), ${folded}) > 0))`,
  withoutIndex: (column) => sql`+${sql.ref(column)}`,
  anyValue: (value) => sql`+${value}`,
  orderedJoin: sql`cross join`,
  // A transaction that begins as a writer is the only one, so that nothing has to be locked.
  lockingFirst: sql``,
  vector: ({ buffer, byteOffset, byteLength }) => sql`${Buffer.from(buffer, byteOffset, byteLength)}`,
  vectorBytes: (column) => sql.ref(column),
  decodeVector,
  timeIn: (seconds) => sql`${new Date(Date.now() + seconds * 1000).toISOString()}`,
  clockMargin: 0,
  nextToken: sql`update fencing_counter set last = last + 1 returning last as token`,
  async lastSequence(db, table) {
    const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(db);
    return rows[0]?.seq ?? 0;
  },
  labelVersion: () => sql`0`,
  identity: () => Promise.resolve(null),
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

/** Numbers and texts as one JSON text; each column of bytes as one blob, in which the JSON says where those of a row are. */
function selectRows<Columns extends Record<string, ColumnType>>(
  columns: Columns,
  rows: RowsOf<Columns>,
): RawBuilder<unknown> {
  const json = rows.map((): ColumnValues['text' | 'integer'][] => []);
  const values = Object.entries(columns).map(([column, type]) => {
    const given = rows.map((row) => row[column] as ColumnValues[ColumnType]);
    const place = json[0]?.length ?? 0;
    if (type !== 'bytes' && type !== 'vector') {
      for (const [i, value] of given.entries()) json[i]?.push(value as string | number | null);
      return sql`value ->> ${sql.lit(place)}`;
    }
    const parts = (given as ArrayBufferView[]).map(
      (part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
    );
    let first = 1;
    for (const [i, { length }] of parts.entries()) {
      json[i]?.push(first, length);
      first += length;
    }
    const range = sql`value ->> ${sql.lit(place)}, value ->> ${sql.lit(place + 1)}`;
    // Of an empty blob every part is null.
    return sql`ifnull(substr(${Buffer.concat(parts)}, ${range}), x'')`;
  });
  // The condition lets SQLite tell `on conflict` from a join.
  return sql`select ${sql.join(values)} from json_each(${JSON.stringify(json)}) where true`;
}
