import { basePath } from '../contract/base-path.ts';
import { revealApiKey } from './catalog/api-keys.ts';
import { createSignInToken, hasSignedIn } from './catalog/sessions.ts';
import { listWorkspaces } from './catalog/workspaces.ts';
import { type Service, startService } from './service.ts';
import { parseSettings, StartupError } from './settings.ts';

try {
  const settings = parseSettings(process.env);
  const service = await startService(settings);
  await greet(service, settings.publicUrl ?? service.url);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(service));
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function stop(service: Service): Promise<void> {
  // npm passes a terminal's Ctrl-C on, so it comes twice at once: only one some time later means "now". Nothing acknowledged
  // is lost by that.
  const begun = Date.now();
  process.on('SIGINT', () => {
    if (Date.now() - begun > 500) process.exit(130);
  });
  setTimeout(() => process.exit(1), 4500).unref();
  await service.stop();
  process.exit(0);
}

/** Tells where the service is and, until somebody has signed in, how to. */
async function greet({ db, secrets, version }: Service, url: string): Promise<void> {
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
