import { mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Gives up what a process that decodes foreign files does not need: it works in an empty folder, where no relative name leads anywhere,
 * and what it writes is its user's alone.
 */
export function dropPrivileges(dataDirectory: string): void {
  process.umask(0o077);
  const folder = path.join(dataDirectory, 'empty');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    process.chdir(folder);
  } catch {
    // The disk may be full. Without the folder nothing is lost but a wall behind others.
  }
}

/** What the runtime and native code may need to know. Names of other variables say nothing of what they hold: a key, a password. */
const allowedVariables =
  /^(?:PATH|HOME|USERPROFILE|SYSTEMROOT|WINDIR|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LC_.*|(?:DY)?LD_LIBRARY_PATH|NODE_(?:OPTIONS|EXTRA_CA_CERTS|V8_COVERAGE|COMPILE_CACHE)|UV_THREADPOOL_SIZE)$/i;

/** Forgets all of an environment that child processes have no need of, after the settings are read from it: they inherit the rest. */
export function sanitizeEnvironment(environment: Record<string, string | undefined>): void {
  for (const name of Object.keys(environment)) if (!allowedVariables.test(name)) delete environment[name];
}
