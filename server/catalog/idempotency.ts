import type { Catalog } from './schema.ts';

/** An answer that is kept to be given again. */
export type KeptResponse = { status: number; headers: Record<string, string>; body: unknown };

type Begun =
  | { state: 'new' }
  /** The first request with this key has not been answered. */
  | { state: 'under way' }
  | { state: 'answered'; operation: string; fingerprint: string; response: KeptResponse };

const lifetime = 24 * 60 * 60 * 1000;

/** Takes a key for a request, or tells what became of the request that had it first. Keys are forgotten after 24 hours. */
export function beginIdempotent(db: Catalog, workspaceId: string, key: string, operation: string): Promise<Begun> {
  return db.transaction().execute(async (transaction) => {
    const oldest = new Date(Date.now() - lifetime).toISOString();
    await transaction.deleteFrom('idempotency_keys').where('created_at', '<', oldest).execute();
    const row = await transaction
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('key', '=', key)
      .executeTakeFirst();
    if (!row) {
      await transaction
        .insertInto('idempotency_keys')
        .values({
          workspace_id: workspaceId,
          key,
          operation,
          fingerprint: null,
          response: null,
          created_at: new Date().toISOString(),
        })
        .execute();
      return { state: 'new' };
    }
    if (row.fingerprint === null || row.response === null) return { state: 'under way' };
    const response = JSON.parse(row.response) as KeptResponse;
    return { state: 'answered', operation: row.operation, fingerprint: row.fingerprint, response };
  });
}

/** Keeps the answer. Call it in the transaction that creates the thing, so that a crash keeps both or neither. */
export async function keepResponse(
  db: Catalog,
  workspaceId: string,
  key: string,
  fingerprint: string,
  response: KeptResponse,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ fingerprint, response: JSON.stringify(response) })
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', key)
    .execute();
}

/** Gives a key free whose request came to nothing, so that it can be tried again. An answered one stays. */
export async function releaseIdempotencyKey(db: Catalog, workspaceId: string, key: string): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', key)
    .where('response', 'is', null)
    .execute();
}

/** Gives all keys free whose requests a stopped service left unanswered. */
export async function releaseAbandonedKeys(db: Catalog): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('response', 'is', null).execute();
}
