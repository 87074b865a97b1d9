import { randomUUIDv7 } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import type { Catalog, Database } from '../schema.ts';
import { inService } from '../transactions.ts';
import { issueApiKey } from './api-keys.ts';
import { defaultPlanId } from './plans.ts';

export type WorkspaceRow = Selectable<Database['workspaces']>;

/** Creates a workspace with its API key and its owner. */
export function createWorkspace(
  db: Catalog,
  secrets: Secrets,
  names: { workspace: string; owner: string },
): Promise<WorkspaceRow> {
  return inService(db, async (transaction) => {
    const now = new Date().toISOString();
    const workspace = {
      id: randomUUIDv7(),
      name: names.workspace,
      plan_id: defaultPlanId,
      embedder_id: null,
      path_mappings: '[]',
      created_at: now,
    };
    const person = { id: randomUUIDv7(), name: names.owner, email: null, password_hash: null, created_at: now };
    await transaction.insertInto('workspaces').values(workspace).execute();
    await transaction.insertInto('people').values(person).execute();
    await transaction
      .insertInto('memberships')
      .values({ workspace_id: workspace.id, person_id: person.id, role: 'owner', created_at: now })
      .execute();
    await issueApiKey(transaction, secrets, workspace.id);
    return workspace;
  });
}

export function listWorkspaces(db: Catalog): Promise<WorkspaceRow[]> {
  return db.selectFrom('workspaces').selectAll().orderBy('created_at').orderBy('id').execute();
}

export function findWorkspace(db: Catalog, id: string): Promise<WorkspaceRow | undefined> {
  return db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function renameWorkspace(db: Catalog, id: string, name: string): Promise<void> {
  await db.updateTable('workspaces').set({ name }).where('id', '=', id).execute();
}
