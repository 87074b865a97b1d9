import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';

/** Rankings of highlights as rows, so that every process of the service reads what one has computed. */

/** Bytes of a row: the driver reads a value as a text of twice the length, and a text has half a gigabyte at most. */
const partBytes = 2 ** 24;

type Place = { workspaceId: string; embedderId: string };

/** Changes when other rankings are stored; null: there are none. */
export async function readRankingStamp(db: Catalog, { workspaceId, embedderId }: Place): Promise<string | null> {
  const { rows } = await sql<{ stamp: string }>`
    select stamp from ranking_parts where workspace_id = ${workspaceId} and embedder_id = ${embedderId} and part = 0
  `.execute(db);
  return rows[0]?.stamp ?? null;
}

/** What was stored last; null: nothing. */
export async function readRankingBytes(db: Catalog, { workspaceId, embedderId }: Place): Promise<Buffer | null> {
  const { rows } = await sql<{ data: Buffer }>`
    select data from ranking_parts where workspace_id = ${workspaceId} and embedder_id = ${embedderId} order by part
  `.execute(db);
  return rows.length === 0 ? null : Buffer.concat(rows.map(({ data }) => data));
}

/** Replaces the rankings of a workspace, those by earlier embedders included. */
export async function writeRankingBytes(
  db: Catalog,
  { workspaceId, embedderId }: Place,
  bytes: Uint8Array,
): Promise<void> {
  const stamp = randomUUID();
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${workspaceId}, 32))`.execute(transaction);
    await sql`delete from ranking_parts where workspace_id = ${workspaceId}`.execute(transaction);
    for (let part = 0; part === 0 || part * partBytes < bytes.length; part++) {
      const data = Buffer.from(bytes.subarray(part * partBytes, (part + 1) * partBytes));
      await sql`
        insert into ranking_parts (workspace_id, embedder_id, part, stamp, data)
        values (${workspaceId}, ${embedderId}, ${part}, ${stamp}, ${data})
      `.execute(transaction);
    }
  });
}

/** Runs work beside none of the same workspace and embedder, in any process. It takes a connection for as long. */
export const aloneInService = <Result>(
  db: Catalog,
  { workspaceId, embedderId }: Place,
  work: () => Promise<Result>,
): Promise<Result> =>
  db.connection().execute(async (connection) => {
    const key = sql`hashtextextended(${JSON.stringify([workspaceId, embedderId])}, 32)`;
    await sql`select pg_advisory_lock(${key})`.execute(connection);
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection);
    }
  });
