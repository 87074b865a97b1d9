import { existsSync } from 'node:fs';
import { openCatalog } from './catalog/open-catalog.ts';
import type { Catalog } from './catalog/schema.ts';
import { createSignInToken } from './catalog/sessions.ts';
import { listWorkspaces, revealApiKey, type WorkspaceRow } from './catalog/workspaces.ts';
import { catalogFile } from './data-directory.ts';
import { loadSecrets } from './secrets.ts';
import { parseSettings, StartupError } from './settings.ts';

const usage = `Usage: npm run --silent admin -- <command> [workspace]

  key            prints the API key of the workspace
  sign-in-link   prints a new one-time sign-in link for its owner

The workspace is named by its name or identifier; without one the first is meant.`;

try {
  const [command, ...names] = process.argv.slice(2);
  const settings = parseSettings(process.env);
  if ((command !== 'key' && command !== 'sign-in-link') || names.length > 1) throw new StartupError(usage);
  if (!existsSync(catalogFile(settings.dataDirectory))) {
    throw new StartupError(
      `There is no Media Search in ${settings.dataDirectory} yet; run npm start first, or set DATA_DIR.`,
    );
  }
  const db = await openCatalog(catalogFile(settings.dataDirectory));
  const workspace = await findNamedWorkspace(db, names[0]);
  if (command === 'key') {
    const key = await revealApiKey(db, await loadSecrets(settings.dataDirectory), workspace.id);
    if (!key) throw new StartupError(`All keys of the workspace ${workspace.name} were revoked.`);
    console.log(key);
  } else {
    const url = settings.publicUrl ?? `http://${settings.host}:${settings.port}`;
    console.log(`${url}/sign-in?token=${await createSignInToken(db, workspace.id)}`);
  }
  await db.destroy();
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function findNamedWorkspace(db: Catalog, name: string | undefined): Promise<WorkspaceRow> {
  const workspaces = await listWorkspaces(db);
  const found = name === undefined ? workspaces[0] : workspaces.find((each) => each.id === name || each.name === name);
  if (found) return found;
  const names = workspaces.map((each) => each.name).join(', ');
  throw new StartupError(`There is no workspace named ${name}. There are: ${names}.`);
}
