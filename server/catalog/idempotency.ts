import type { Catalog } from './schema.ts';

/** An answer that is kept to be given again. */
export type StoredResponse = { status: number; headers: Record<string, string>; body: unknown };

const lifetimeMs = 24 * 60 * 60 * 1000;
const earliestValid = () => new Date(Date.now() - lifetimeMs).toISOString();

/** What the first request with this key was answered, or undefined when there was none within 24 hours. */
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
  // Earlier versions stored a key before its answer, so a row may lack one.
  if (!row || row.fingerprint === null || row.response === null) return undefined;
  const { operation, fingerprint } = row;
  return { operation, fingerprint, response: JSON.parse(row.response) as StoredResponse };
}

/** Keeps the answer. Call it in the transaction that creates the thing, so that a crash keeps both or neither. */
export async function storeResponse(
  db: Catalog,
  workspaceId: string,
  { key, operation, fingerprint }: { key: string; operation: string; fingerprint: string },
  response: StoredResponse,
): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<', earliestValid()).execute();
  await db
    .replaceInto('idempotency_keys')
    .values({
      workspace_id: workspaceId,
      key,
      operation,
      fingerprint,
      response: JSON.stringify(response),
      created_at: new Date().toISOString(),
    })
    .execute();
}
