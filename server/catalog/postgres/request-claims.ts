import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { runEvery } from '../../platform/periodic.ts';
import { findStoredResponse } from '../accounts/idempotency.ts';
import type { RequestClaims } from '../accounts/request-claims.ts';
import type { Catalog } from '../schema.ts';

/** How long the claim of a process that ended keeps others from the key. */
const leaseSeconds = 20;
const renewMs = 5000;

const leaseEnd = sql<Date>`clock_timestamp() + make_interval(secs => ${sql.lit(leaseSeconds)})`;

/**
 * Claims as rows with a lease, which this process renews as long as it is alive. Not advisory locks: each would hold a connection during an upload
 * of hours.
 */
export function createPostgresRequestClaims(db: Catalog): RequestClaims & { stop(): Promise<void> } {
  /** The claims of requests that are under way here. */
  const held = new Set<string>();
  const renew = async () => {
    if (held.size === 0) return;
    const owners = [...held];
    await db.updateTable('request_claims').set({ claimed_until: leaseEnd }).where('owner', 'in', owners).execute();
  };
  // A renewal that was missed does no harm, and `confirm` finds out about a claim that was lost.
  const renewing = runEvery(renewMs, renew, 'the renewal of claims', null, { atOnce: false });

  return {
    async claim(workspaceId, key) {
      const owner = randomUUID();
      const row = { workspace_id: workspaceId, key, owner };
      if (!(await storeClaim(db, row, sql<SqlBool>`request_claims.claimed_until < clock_timestamp()`)))
        return undefined;
      held.add(owner);
      return {
        async confirm(transaction) {
          // Written, so that nobody takes the key before the transaction ends. A crash of the server forgets claims: then it is claimed again.
          const isOurs = await storeClaim(transaction, row, sql<SqlBool>`request_claims.owner = ${owner}`);
          // Another request may have taken the key, and ended.
          return isOurs && (await findStoredResponse(transaction, workspaceId, key)) === undefined;
        },
        async [Symbol.asyncDispose]() {
          held.delete(owner);
          // Where the database is away, the key is free when its lease ends.
          await db
            .deleteFrom('request_claims')
            .where('workspace_id', '=', workspaceId)
            .where('key', '=', key)
            .where('owner', '=', owner)
            .execute()
            .catch(() => undefined);
        },
      };
    },
    stop: () => renewing.stop(),
  };
}

/**
 * Stores a claim, or takes the row that its key has where that may be taken.
 * @param mayTake of that row
 * @returns whether the claim is stored
 */
async function storeClaim(
  db: Catalog,
  claim: { workspace_id: string; key: string; owner: string },
  mayTake: RawBuilder<SqlBool>,
): Promise<boolean> {
  const stored = await db
    .insertInto('request_claims')
    .values({ ...claim, claimed_until: leaseEnd })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'key'])
        .doUpdateSet({ owner: claim.owner, claimed_until: leaseEnd })
        .where(mayTake),
    )
    .returning('owner')
    .executeTakeFirst();
  return stored !== undefined;
}

/** Deletes the claims of processes that ended. */
export async function deleteExpiredClaims(db: Catalog): Promise<void> {
  await db
    .deleteFrom('request_claims')
    .where('claimed_until', '<', sql<Date>`clock_timestamp()`)
    .execute();
}
