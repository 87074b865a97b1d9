import { randomUUIDv7 } from 'node:crypto';
import type { Selectable } from 'kysely';
import { hashToken, randomToken, type Secrets } from '../secrets.ts';
import { selfHostedPlan } from './plans.ts';
import type { Catalog, Database } from './schema.ts';

export type WorkspaceRow = Selectable<Database['workspaces']>;

export const apiKeyPrefix = 'service_';

/** Makes a workspace with its API key and its owner. */
export function createWorkspace(
  db: Catalog,
  secrets: Secrets,
  names: { workspace: string; owner: string },
): Promise<WorkspaceRow> {
  return db.transaction().execute(async (transaction) => {
    const now = new Date().toISOString();
    const workspace = { id: randomUUIDv7(), name: names.workspace, plan_id: selfHostedPlan.id, created_at: now };
    const person = { id: randomUUIDv7(), name: names.owner, created_at: now };
    const key = apiKeyPrefix + randomToken();
    await transaction.insertInto('workspaces').values(workspace).execute();
    await transaction.insertInto('people').values(person).execute();
    await transaction
      .insertInto('memberships')
      .values({ workspace_id: workspace.id, person_id: person.id, role: 'owner', created_at: now })
      .execute();
    await transaction
      .insertInto('api_keys')
      .values({
        workspace_id: workspace.id,
        id: randomUUIDv7(),
        hash: hashToken(key),
        sealed: secrets.seal(key),
        created_at: now,
        revoked_at: null,
      })
      .execute();
    return workspace;
  });
}

export function listWorkspaces(db: Catalog): Promise<WorkspaceRow[]> {
  return db.selectFrom('workspaces').selectAll().orderBy('created_at').orderBy('id').execute();
}

export function findWorkspace(db: Catalog, id: string): Promise<WorkspaceRow | undefined> {
  return db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The workspace of an API key, or undefined when the key is unknown or revoked. */
export async function findWorkspaceIdByKey(db: Catalog, key: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .select('workspace_id')
    .where('hash', '=', hashToken(key))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row?.workspace_id;
}

/** The workspace's newest key that works, in plain text; undefined when all were revoked. */
export async function revealApiKey(db: Catalog, secrets: Secrets, workspaceId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .select('sealed')
    .where('workspace_id', '=', workspaceId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row && secrets.unseal(row.sealed);
}
