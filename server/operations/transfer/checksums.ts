import { createHash } from 'node:crypto';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readBatches, type Row, type TableLayout, type Value, withoutNul } from './rows.ts';

/** The rows of a table and a workspace: how many, and the sum of the checksums of each, in which their order does not count. */
type Checksum = { rows: number; sum: bigint };

/** By workspace; '' for tables that belong to none. */
export type TableChecksums = Map<string, Checksum>;

/** As PostgreSQL keeps values: vectors in float16, texts without U+0000. */
export type Precision = 'exact' | 'postgres';

/** What two catalogs can have in common. */
export const commonPrecision = (one: Catalog, other: Catalog): Precision =>
  [one, other].some((db) => dialectOf(db).name === 'postgres') ? 'postgres' : 'exact';

/**
 * Adds up a table.
 * @param onRead called with the number of rows of each batch
 */
export async function addUpTable(
  db: Catalog,
  layout: TableLayout,
  precision: Precision,
  onRead: (rows: number) => void = () => undefined,
): Promise<TableChecksums> {
  const sums: TableChecksums = new Map();
  for await (const rows of readBatches(db, layout)) {
    for (const row of rows) {
      const workspaceId = typeof row.workspace_id === 'string' ? row.workspace_id : '';
      const before = sums.get(workspaceId) ?? { rows: 0, sum: 0n };
      const sum = BigInt.asUintN(128, before.sum + checksumOf(row, layout.columns, precision));
      sums.set(workspaceId, { rows: before.rows + 1, sum });
    }
    onRead(rows.length);
  }
  return sums;
}

/** The first 128 bits of the SHA-256 of a row. */
function checksumOf(row: Row, columns: string[], precision: Precision): bigint {
  const hash = createHash('sha256');
  for (const column of columns) {
    const value = normalise(row[column] ?? null, precision);
    // With its type and length, so that no two rows give the same bytes.
    hash.update(`${column} ${value === null ? 'null' : typeof value} ${value === null ? 0 : lengthOf(value)} `);
    if (value !== null) hash.update(typeof value === 'number' ? String(value) : value);
  }
  const digest = hash.digest();
  return (digest.readBigUInt64BE(0) << 64n) | digest.readBigUInt64BE(8);
}

const lengthOf = (value: string | number | Uint8Array): number => (typeof value === 'number' ? 0 : value.length);

/** What a value is compared by. */
function normalise(value: Value, precision: Precision): string | number | Uint8Array | null {
  if (value instanceof Float32Array) {
    return new Uint8Array((precision === 'exact' ? value : new Float16Array(value)).slice().buffer);
  }
  return typeof value === 'string' && precision === 'postgres' ? withoutNul(value) : value;
}

/** Where two tables differ, as sentences; empty when they hold the same. */
export function compareChecksums(table: string, expected: TableChecksums, found: TableChecksums): string[] {
  const workspaces = new Set([...expected.keys(), ...found.keys()]);
  return [...workspaces].toSorted().flatMap((workspaceId) => {
    const [one, other] = [expected.get(workspaceId), found.get(workspaceId)];
    if (one && other && one.rows === other.rows && one.sum === other.sum) return [];
    const where = workspaceId === '' ? table : `${table} of the workspace ${workspaceId}`;
    if (one?.rows !== other?.rows) return [`${where}: ${other?.rows ?? 0} rows instead of ${one?.rows ?? 0}`];
    return [`${where}: rows differ`];
  });
}
