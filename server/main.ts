import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { StartupError } from './errors/startup-error.ts';
import { ignoreOutputErrors } from './platform/log.ts';
import { childMemorySettings } from './platform/processes/child-memory.ts';
import { awsVariables, sanitizeEnvironment } from './platform/processes/drop-privileges.ts';
import type { Service } from './service.ts';
import { parseSettings } from './settings.ts';

/** A stop may take this long, because it saves the search indexes of large workspaces. */
const stopTimeoutMs = 60_000;
/** A Ctrl-C at least this long after another ends the process at once. */
const forceQuitAfterMs = 500;

let service: Service | undefined;
let drainSeconds = 0;
let stopRequestedAt: number | undefined;

ignoreOutputErrors();
// npm and systemd forward signals that the process group gets as well, so each may come more than once.
process.on('SIGTERM', () => stop());
process.on('SIGINT', () => {
  // Nothing that was acknowledged is lost.
  if (stopRequestedAt !== undefined && Date.now() - stopRequestedAt > forceQuitAfterMs) process.exit(130);
  stop();
});

try {
  const settings = parseSettings(process.env);
  ({ drainSeconds } = settings);
  sanitizeEnvironment(process.env, settings.bucketAccess.credentials === null ? awsVariables : undefined);
  Object.assign(process.env, childMemorySettings);
  cacheCompiledModules();
  // Loaded here, so that they come from that cache and a wrong setting is refused at once.
  const [{ startService }, { printGreeting }] = await Promise.all([
    import('./service.ts'),
    import('./startup/greeting.ts'),
  ]);
  service = await startService(settings);
  const { role, publicUrl } = settings;
  await printGreeting(service, role === 'all' ? (publicUrl ?? service.url) : service.url, role);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** Keeps compiled modules on disk for this process and its children, which then start in half the time. */
function cacheCompiledModules(): void {
  const folder = path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile');
  process.env['NODE_COMPILE_CACHE'] ??= folder;
  // Where the folder cannot be written, modules are compiled at each start.
  enableCompileCache(process.env['NODE_COMPILE_CACHE']);
}

/** Completes requests and jobs in progress, saves the indexes, and ends the process with status 0. */
function stop(): void {
  if (stopRequestedAt !== undefined) return;
  stopRequestedAt = Date.now();
  // Before the start nothing was acknowledged.
  if (!service) process.exit(0);
  setTimeout(() => process.exit(1), stopTimeoutMs + 1000 * drainSeconds).unref();
  service.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error('The service did not stop cleanly.', error);
      process.exit(1);
    },
  );
}
