import { basePath } from '../contract/base-path.ts';
import { revealApiKey } from './catalog/api-keys.ts';
import { createSignInToken, hasSignedIn } from './catalog/sessions.ts';
import { listWorkspaces } from './catalog/workspaces.ts';
import { ignoreOutputErrors } from './log.ts';
import { sanitizeEnvironment } from './processes/drop-privileges.ts';
import { type Service, startService } from './service.ts';
import { parseSettings, StartupError } from './settings.ts';

/** How long a stop may take, which saves the vector indexes of large workspaces. */
const stopTimeoutMs = 60_000;
/** A Ctrl-C that follows another after this means "now". */
const forceQuitAfterMs = 500;

let service: Service | undefined;
let stopRequestedAt: number | undefined;

ignoreOutputErrors();
// npm and systemd pass on what the process group gets as well, so each signal may come more than once.
process.on('SIGTERM', () => stop());
process.on('SIGINT', () => {
  // Nothing acknowledged is lost by that.
  if (stopRequestedAt !== undefined && Date.now() - stopRequestedAt > forceQuitAfterMs) process.exit(130);
  stop();
});

try {
  const settings = parseSettings(process.env);
  sanitizeEnvironment(process.env);
  service = await startService(settings);
  await printGreeting(service, settings.publicUrl ?? service.url);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** Lets what is under way end, saves what is to be kept and ends the process with status 0. */
function stop(): void {
  if (stopRequestedAt !== undefined) return;
  stopRequestedAt = Date.now();
  // Until it has started, nothing was acknowledged.
  if (!service) process.exit(0);
  setTimeout(() => process.exit(1), stopTimeoutMs).unref();
  service.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error('The service did not stop in order.', error);
      process.exit(1);
    },
  );
}

/** Tells where the service is and, until somebody has signed in, how to. */
async function printGreeting({ db, secrets, version }: Service, url: string): Promise<void> {
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
