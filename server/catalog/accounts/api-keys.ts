import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { hashToken, randomToken, type Secrets } from '../../platform/crypto/secrets.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';
import type { TrafficLimits } from '../tables/accounts.ts';
import { inService, inWorkspace } from '../transactions.ts';
import { trafficLimitNames } from './plans.ts';

export const apiKeyPrefix = 'service_';

export type ApiKeyRow = Selectable<Database['api_keys']>;
export type IssuedKey = { id: string; key: string };

const now = () => new Date().toISOString();

/**
 * Gives a workspace a new key.
 * @param name what it is for; null for no name
 * @param createdBy the person that creates it; null: the operator
 */
export async function issueApiKey(
  db: Catalog,
  secrets: Secrets,
  workspaceId: string,
  name: string | null = null,
  createdBy: string | null = null,
): Promise<IssuedKey> {
  const key = apiKeyPrefix + randomToken();
  const id = randomUUIDv7();
  await db
    .insertInto('api_keys')
    .values({
      workspace_id: workspaceId,
      id,
      hash: hashToken(key),
      sealed: secrets.seal(key),
      ending: key.slice(-4),
      name,
      created_at: now(),
      created_by: createdBy,
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    })
    .execute();
  return { id, key };
}

/** Active keys: not revoked, and without a grace period that has ended. */
const selectActiveKeys = (db: Catalog) =>
  db
    .selectFrom('api_keys')
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now())]));

type FoundKey = Pick<ApiKeyRow, 'id' | 'workspace_id' | 'last_used_at'> & TrafficLimits;

const trafficLimits = sql.raw(trafficLimitNames.map((name) => `plans.${name}`).join(', '));

/**
 * An active key with what the plan of its workspace allows, or undefined when it is unknown, revoked or expired. Read at each request, so a
 * revocation takes effect at once, and by a statement that is not built from parts each time.
 */
export async function findApiKey(db: Catalog, key: string): Promise<FoundKey | undefined> {
  const { anyValue } = dialectOf(db);
  const { rows } = await sql<FoundKey>`
    select api_keys.id, api_keys.workspace_id, api_keys.last_used_at, ${trafficLimits}
    from api_keys join workspaces on workspaces.id = api_keys.workspace_id join plans on plans.id = workspaces.plan_id
    where api_keys.hash = ${anyValue(hashToken(key))} and api_keys.revoked_at is null
      and (api_keys.expires_at is null or api_keys.expires_at > ${now()})
  `.execute(db);
  return rows[0];
}

/** Whether a key that was active still is. */
export async function isActiveKey(db: Catalog, workspaceId: string, id: string): Promise<boolean> {
  const key = selectActiveKeys(db).select('id').where('workspace_id', '=', workspaceId).where('id', '=', id);
  return (await key.executeTakeFirst()) !== undefined;
}

/** Which of some keys of a workspace are active. */
export async function listActiveKeys(db: Catalog, workspaceId: string, ids: string[]): Promise<string[]> {
  const rows = await selectActiveKeys(db)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(ids))
    .execute();
  return rows.map(({ id }) => id);
}

/** The creators of the active keys of a workspace: one for each key. */
export const listActiveKeyMakers = (db: Catalog, workspaceId: string): Promise<Pick<ApiKeyRow, 'created_by'>[]> =>
  selectActiveKeys(db).select('created_by').where('workspace_id', '=', workspaceId).execute();

/** A key with the name of the person that created it. */
export type ListedKey = ApiKeyRow & { person: string | null };

const selectListed = (db: Catalog, workspaceId: string) =>
  db
    .selectFrom('api_keys')
    .leftJoin('people', 'people.id', 'api_keys.created_by')
    .selectAll('api_keys')
    .select('people.name as person')
    .where('api_keys.workspace_id', '=', workspaceId);

/** All keys of a workspace, revoked and expired ones included, newest first. */
export const listApiKeys = (db: Catalog, workspaceId: string): Promise<ListedKey[]> =>
  selectListed(db, workspaceId).orderBy('api_keys.created_at', 'desc').orderBy('api_keys.id', 'desc').execute();

/**
 * An active key, in plain text.
 * @param id the key, or undefined for the workspace's newest
 */
export async function revealApiKey(
  db: Catalog,
  secrets: Secrets,
  workspaceId: string,
  id?: string,
): Promise<string | undefined> {
  let query = selectActiveKeys(db).select('sealed').where('workspace_id', '=', workspaceId);
  if (id !== undefined) query = query.where('id', '=', id);
  // Of two active keys, the one without an expiry is the newer.
  const row = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').executeTakeFirst();
  return row && secrets.unseal(row.sealed);
}

/**
 * Replaces an active key by a new one, which takes its name.
 * @param graceHours how long the old one stays valid; 0: it is revoked at once
 * @param createdBy the person that rotates it, and sees the new one
 * @returns the new key, or undefined when there is no such active key
 */
export function rotateApiKey(
  db: Catalog,
  secrets: Secrets,
  workspaceId: string,
  id: string,
  graceHours: number,
  createdBy: string,
): Promise<IssuedKey | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const old = await selectActiveKeys(transaction)
      .select(['id', 'expires_at', 'name'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!old) return undefined;
    const graceEnd = new Date(Date.now() + graceHours * 3_600_000).toISOString();
    // A second rotation never extends the grace period of a key.
    const expires_at = old.expires_at !== null && old.expires_at < graceEnd ? old.expires_at : graceEnd;
    await transaction
      .updateTable('api_keys')
      .set(graceHours === 0 ? { revoked_at: now() } : { expires_at })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
    return issueApiKey(transaction, secrets, workspaceId, old.name, createdBy);
  });
}

/** Revokes a key. Undefined when there is none; a key that was revoked before is not changed. */
export async function revokeApiKey(db: Catalog, workspaceId: string, id: string): Promise<ListedKey | undefined> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
  return selectListed(db, workspaceId).where('api_keys.id', '=', id).executeTakeFirst();
}

/**
 * Revokes the active keys that a person made. A workspace that is left without any gets a new one: the dashboard of the others needs it.
 * @param newMaker the person that counts as the creator of the new one
 * @returns how many were revoked
 */
export async function revokeKeysOf(
  transaction: Catalog,
  secrets: Secrets,
  workspaceId: string,
  { personId, newMaker }: { personId: string; newMaker: string },
): Promise<number> {
  const made = await selectActiveKeys(transaction)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('created_by', '=', personId)
    .execute();
  for (const { id } of made) await revokeApiKey(transaction, workspaceId, id);
  const left = await selectActiveKeys(transaction)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  if (!left) await issueApiKey(transaction, secrets, workspaceId, null, newMaker);
  return made.length;
}

/** An encrypted key of any workspace, to test whether a secret key belongs to this catalog; undefined when there is none. */
export async function findSealedKey(db: Catalog): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('api_keys').select('sealed').orderBy('created_at', 'desc').executeTakeFirst();
  return row?.sealed;
}

/** Removes the keys of all workspaces and gives each a new one. */
export function reissueApiKeys(db: Catalog, secrets: Secrets): Promise<{ name: string; key: string }[]> {
  return inService(db, async (transaction) => {
    // They are encrypted with a secret key that is lost, so they can never be revealed again.
    await transaction.deleteFrom('api_keys').execute();
    const issued: { name: string; key: string }[] = [];
    for (const { id, name } of await transaction.selectFrom('workspaces').selectAll().orderBy('created_at').execute()) {
      issued.push({ name, key: (await issueApiKey(transaction, secrets, id)).key });
    }
    return issued;
  });
}

/** What a key is called; undefined without a name. */
export async function findKeyName(db: Catalog, workspaceId: string, id: string): Promise<string | undefined> {
  const key = await db
    .selectFrom('api_keys')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .select('name')
    .executeTakeFirst();
  return key?.name ?? undefined;
}
