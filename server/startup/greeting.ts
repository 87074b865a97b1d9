import { basePath } from '../../contract/base-path.ts';
import { revealApiKey } from '../catalog/accounts/api-keys.ts';
import { createSignInToken, hasSignedIn } from '../catalog/accounts/sessions.ts';
import { listWorkspaces } from '../catalog/accounts/workspaces.ts';
import type { Service } from '../service.ts';
import type { Role } from '../settings.ts';

/**
 * Prints the URL of the service and, until the first sign-in, how to sign in. A process with a role prints only the URL: what it prints is kept
 * in logs, and `admin` prints keys and links.
 */
export async function printGreeting({ db, secrets, version }: Service, url: string, role: Role): Promise<void> {
  if (role !== 'all') {
    console.log(`Media Search ${version}, ${role}\n\n  Listens on  ${url}\n\n  Ctrl-C stops it.\n`);
    return;
  }
  const [workspace] = await listWorkspaces(db);
  if (!workspace) return;
  const lines = [`Media Search ${version}`, '', `  Dashboard   ${url}`];
  if (await hasSignedIn(db, workspace.id)) {
    lines.push('  Sign in     npm run --silent admin -- sign-in-link', '  API key     npm run --silent admin -- key');
  } else {
    const key = await revealApiKey(db, secrets, workspace.id);
    const token = await createSignInToken(db, workspace.id);
    lines.push(
      `  Sign in     ${url}/sign-in?token=${token}`,
      '              (works once, within 24 hours)',
      `  API key     ${key}`,
      `  Try         curl -H "Authorization: Bearer ${key}" ${url}${basePath}/workspace`,
    );
  }
  console.log(`\n${lines.join('\n')}\n\n  Ctrl-C stops the service.\n`);
}
