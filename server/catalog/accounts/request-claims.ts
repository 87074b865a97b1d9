import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { runEvery } from '../../platform/periodic.ts';
import { isFree, leaseEnd, leaseTo } from '../queue/leases.ts';
import type { Catalog } from '../schema.ts';
import { findStoredResponse } from './idempotency.ts';

/** A claim on the key of a request, until it is disposed of. */
export type RequestClaim = AsyncDisposable & {
  /**
   * Makes sure, in the transaction that creates what the request is for, that no other request has the key by now.
   * @returns false when another may have taken it: the transaction must be rolled back
   */
  confirm(transaction: Catalog): Promise<boolean>;
};

/** The keys of requests that are under way, at all processes of the service. */
export type RequestClaims = ReturnType<typeof createRequestClaims>;

const renewMs = 5000;

/**
 * Claims as rows with a lease, which this process renews as long as it is alive. Not advisory locks: each would hold a connection during an upload
 * of hours.
 */
export function createRequestClaims(db: Catalog) {
  /** The claims of requests that are under way here. */
  const held = new Set<string>();
  const renew = async () => {
    if (held.size === 0) return;
    await db
      .updateTable('request_claims')
      .set({ lease_until: leaseEnd(db, 'request_claims') })
      .where('lease_owner', 'in', [...held])
      .execute();
  };
  // A renewal that was missed does no harm, and `confirm` finds out about a claim that was lost.
  const renewing = runEvery(renewMs, renew, 'the renewal of claims', null, { atOnce: false });

  return {
    /** Claims the key of a request. Undefined when a request with it is under way. */
    async claim(workspaceId: string, key: string): Promise<RequestClaim | undefined> {
      const owner = randomUUID();
      const named = { workspace_id: workspaceId, key };
      if (!(await storeClaim(db, named, owner, isFree(db, 'request_claims')))) return undefined;
      held.add(owner);
      return {
        async confirm(transaction) {
          // Written, so that no other request takes the key before the transaction ends. A crash of the server forgets claims: then it is claimed again.
          const isOurs = await storeClaim(transaction, named, owner, sql`request_claims.lease_owner = ${owner}`);
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
            .where('lease_owner', '=', owner)
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
 * @param mayTake whether that row may be taken
 * @returns whether the claim is stored
 */
async function storeClaim(
  db: Catalog,
  named: { workspace_id: string; key: string },
  owner: string,
  mayTake: RawBuilder<SqlBool>,
): Promise<boolean> {
  const lease = leaseTo(db, 'request_claims', owner);
  const stored = await db
    .insertInto('request_claims')
    .values({ ...named, ...lease })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'key']).doUpdateSet(lease).where(mayTake))
    .returning('lease_owner')
    .executeTakeFirst();
  return stored !== undefined;
}

/** Deletes the claims of processes that ended. */
export async function deleteExpiredClaims(db: Catalog): Promise<void> {
  await db.deleteFrom('request_claims').where(isFree(db, 'request_claims')).execute();
}

/** Frees the keys of all requests. Single process: those that had them have ended. */
export async function deleteAllClaims(db: Catalog): Promise<void> {
  await db.deleteFrom('request_claims').execute();
}
