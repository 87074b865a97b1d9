import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { EventType } from '../../../contract/events.ts';
import { maxWebhooks, type Webhook, type WebhookChanges } from '../../../contract/webhooks.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

export type WebhookRow = Selectable<Database['webhooks']>;

/** A webhook with the name of the person that created it, and the number of deliveries that wait. */
export type ListedWebhook = WebhookRow & { person: string | null; waiting: number };

/** How long deliveries are signed with the secret of before a rotation, too, milliseconds. */
const rotationMs = 24 * 60 * 60_000;

const now = () => new Date().toISOString();

/** A new secret as Standard Webhooks writes it: 256 random bits. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

const select = (db: Catalog, workspaceId: string) => db.selectFrom('webhooks').where('workspace_id', '=', workspaceId);

const update = (db: Catalog, workspaceId: string, id: string) =>
  db.updateTable('webhooks').where('workspace_id', '=', workspaceId).where('id', '=', id);

export const findWebhook = (db: Catalog, workspaceId: string, id: string): Promise<WebhookRow | undefined> =>
  select(db, workspaceId).selectAll().where('id', '=', id).executeTakeFirst();

/** The webhooks of a workspace, the newest first. */
export async function listWebhooks(db: Catalog, workspaceId: string): Promise<ListedWebhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .leftJoin('people', 'people.id', 'webhooks.created_by')
    .where('webhooks.workspace_id', '=', workspaceId)
    .selectAll('webhooks')
    .select('people.name as person')
    .orderBy('webhooks.id', 'desc')
    .execute();
  const counts = await db
    .selectFrom('webhook_deliveries')
    .select(['webhook_id', (e) => e.fn.countAll<number>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'pending')
    .groupBy('webhook_id')
    .execute();
  const waiting = new Map(counts.map(({ webhook_id, count }) => [webhook_id, count]));
  return rows.map((row) => ({ ...row, waiting: waiting.get(row.id) ?? 0 }));
}

/** One webhook as it is listed; undefined when there is none. */
export const findListedWebhook = async (
  db: Catalog,
  workspaceId: string,
  id: string,
): Promise<ListedWebhook | undefined> => (await listWebhooks(db, workspaceId)).find((row) => row.id === id);

/**
 * Creates a webhook, enabled. `full`: there are as many as there may be.
 * @param createdBy the person that creates it
 */
export function createWebhook(
  db: Catalog,
  secrets: Secrets,
  workspaceId: string,
  { url, description, types }: { url: string; description: string; types: EventType[] },
  createdBy: string | null = null,
): Promise<{ row: WebhookRow; secret: string } | 'full'> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const { count } = await select(transaction, workspaceId)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count >= maxWebhooks) return 'full';
    const secret = newSecret();
    const row = await transaction
      .insertInto('webhooks')
      .values({
        workspace_id: workspaceId,
        id: randomUUIDv7(),
        url,
        description,
        types: types.join(' '),
        sealed: secrets.seal(secret),
        created_by: createdBy,
        created_at: now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { row, secret };
  });
}

/**
 * Changes a webhook. An owner who changes it has seen what was missed, so that count begins again. Undefined when there is none.
 * @param changedBy the person who changes it; by another URL they make it theirs
 */
export function changeWebhook(
  db: Catalog,
  workspaceId: string,
  id: string,
  { enabled, types, url, description }: WebhookChanges,
  changedBy: string | null = null,
): Promise<WebhookRow | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const before = await findWebhook(transaction, workspaceId, id);
    if (!before) return undefined;
    if (enabled === false && before.disabled_at === null) await disableWebhook(transaction, before, 'owner');
    return update(transaction, workspaceId, id)
      .set({
        missed: 0,
        missed_since: null,
        ...(url === undefined || url === before.url ? {} : { url, created_by: changedBy }),
        ...(description === undefined ? {} : { description }),
        ...(types === undefined ? {} : { types: types.join(' ') }),
        ...(enabled === true ? { disabled_at: null, disabled_reason: null, failing_since: null } : {}),
      })
      .returningAll()
      .executeTakeFirst();
  });
}

/** Stops sending to a webhook. What waits ends as failed, and can be delivered again when it is enabled. @returns how many deliveries that were */
export async function disableWebhook(
  transaction: Catalog,
  { workspace_id, id }: Pick<WebhookRow, 'workspace_id' | 'id'>,
  reason: NonNullable<Webhook['disabled_reason']>,
): Promise<number> {
  await update(transaction, workspace_id, id)
    .where('disabled_at', 'is', null)
    .set({ disabled_at: now(), disabled_reason: reason })
    .execute();
  const { numUpdatedRows } = await transaction
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', next_attempt_at: null, error: sql`coalesce(error, 'The webhook was disabled.')` })
    .where('workspace_id', '=', workspace_id)
    .where('webhook_id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Disables the webhooks that a person made. @returns how many were enabled */
export async function disableWebhooksOf(transaction: Catalog, workspaceId: string, personId: string): Promise<number> {
  const made = await select(transaction, workspaceId)
    .select(['workspace_id', 'id'])
    .where('created_by', '=', personId)
    .where('disabled_at', 'is', null)
    .execute();
  for (const webhook of made) await disableWebhook(transaction, webhook, 'owner');
  return made.length;
}

/** Deletes a webhook with its deliveries. False when there is none. */
export async function deleteWebhook(db: Catalog, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Replaces the secret of a webhook. @returns the new one; undefined when there is no such webhook */
export function rotateWebhookSecret(
  db: Catalog,
  secrets: Secrets,
  workspaceId: string,
  id: string,
): Promise<string | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const before = await findWebhook(transaction, workspaceId, id);
    if (!before) return undefined;
    const secret = newSecret();
    await update(transaction, workspaceId, id)
      .set({
        sealed: secrets.seal(secret),
        previous_sealed: before.sealed,
        previous_until: new Date(Date.now() + rotationMs).toISOString(),
      })
      .execute();
    return secret;
  });
}

/**
 * The secrets that deliveries of a webhook are signed with, the newest first. Null when it was encrypted with a secret key of the service that
 * is lost; one of before a rotation is left out then.
 */
export function revealWebhookSecrets(
  secrets: Secrets,
  { sealed, previous_sealed, previous_until }: WebhookRow,
): [string, ...string[]] | null {
  const reveal = (bytes: Uint8Array): string | null => {
    try {
      return secrets.unseal(bytes);
    } catch {
      return null;
    }
  };
  const current = reveal(sealed);
  if (current === null) return null;
  const isPreviousValid = previous_sealed !== null && previous_until !== null && previous_until > now();
  const previous = isPreviousValid ? reveal(previous_sealed) : null;
  return previous === null ? [current] : [current, previous];
}
