import type { Catalog } from '../schema.ts';

/** A stored response that is sent again to a repeated request. */
export type StoredResponse = { status: number; headers: Record<string, string>; body: unknown };

const lifetimeMs = 24 * 60 * 60 * 1000;
const earliestValid = () => new Date(Date.now() - lifetimeMs).toISOString();

/** The response to the first request with this key, or undefined when there was none within 24 hours. */
export async function findStoredResponse(
  db: Catalog,
  workspaceId: string,
  key: string,
): Promise<{ operation: string; fingerprint: string; response: StoredResponse } | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', key)
    .where('created_at', '>=', earliestValid())
    .executeTakeFirst();
  // Earlier versions stored a key before its response, so a row may lack one.
  if (!row || row.fingerprint === null || row.response === null) return undefined;
  const { operation, fingerprint } = row;
  return { operation, fingerprint, response: JSON.parse(row.response) as StoredResponse };
}

export async function deleteStoredResponse(db: Catalog, workspaceId: string, key: string): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('workspace_id', '=', workspaceId).where('key', '=', key).execute();
}

/** Stores the response. Call it in the transaction that creates the resource, so that after a crash both exist or neither. */
export async function storeResponse(
  db: Catalog,
  workspaceId: string,
  { key, operation, fingerprint }: { key: string; operation: string; fingerprint: string },
  response: StoredResponse,
): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('workspace_id', '=', workspaceId)
    .where('created_at', '<', earliestValid())
    .execute();
  await db
    .insertInto('idempotency_keys')
    .values({
      workspace_id: workspaceId,
      key,
      operation,
      fingerprint,
      response: JSON.stringify(response),
      created_at: new Date().toISOString(),
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'key']).doUpdateSet((e) => ({
        operation: e.ref('excluded.operation'),
        fingerprint: e.ref('excluded.fingerprint'),
        response: e.ref('excluded.response'),
        created_at: e.ref('excluded.created_at'),
      })),
    )
    .execute();
}
