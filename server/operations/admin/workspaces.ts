import { revealApiKey } from '../../catalog/accounts/api-keys.ts';
import { createSignInToken } from '../../catalog/accounts/sessions.ts';
import { createWorkspace, listWorkspaces, type WorkspaceRow } from '../../catalog/accounts/workspaces.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import type { Settings } from '../../settings.ts';

/** `admin key`. Throws `StartupError` when the workspace has no key. */
export async function printKey(db: Catalog, secrets: Secrets, workspaceName: string | undefined): Promise<void> {
  const workspace = await findNamedWorkspace(db, workspaceName);
  const key = await revealApiKey(db, secrets, workspace.id);
  if (!key) throw new StartupError(`All keys of the workspace ${workspace.name} were revoked.`);
  console.log(key);
}

/** `admin sign-in-link`. */
export async function printSignInLink(
  db: Catalog,
  { publicUrl, host, port }: Settings,
  workspaceName: string | undefined,
): Promise<void> {
  const workspace = await findNamedWorkspace(db, workspaceName);
  const url = publicUrl ?? `http://${host}:${port}`;
  console.log(`${url}/sign-in?token=${await createSignInToken(db, workspace.id)}`);
}

/** `admin workspace list`. */
export async function printWorkspaces(db: Catalog): Promise<void> {
  for (const { id, name, plan_id } of await listWorkspaces(db)) console.log(`${id}  ${name}  (plan ${plan_id})`);
}

/** `admin workspace create`: prints the API key of the new workspace. Throws `StartupError` when the name is taken. */
export async function addWorkspace(db: Catalog, secrets: Secrets, givenName: string, owner: string): Promise<void> {
  const name = givenName.trim();
  const isTaken = (await listWorkspaces(db)).some((each) => each.name === name);
  if (name === '' || isTaken) throw new StartupError('Give the workspace a name that no other has.');
  const { id } = await createWorkspace(db, secrets, { workspace: name, owner });
  console.log(await revealApiKey(db, secrets, id));
}

/**
 * Finds a workspace by its name or identifier. Throws `StartupError` when there is none.
 * @param name undefined: the first workspace
 */
export async function findNamedWorkspace(db: Catalog, name: string | undefined): Promise<WorkspaceRow> {
  const workspaces = await listWorkspaces(db);
  const found = name === undefined ? workspaces[0] : workspaces.find((each) => each.id === name || each.name === name);
  if (found) return found;
  const names = workspaces.map((each) => each.name).join(', ');
  throw new StartupError(`There is no workspace named ${name}. There are: ${names}.`);
}
