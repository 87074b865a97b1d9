import { mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Limits a process that decodes untrusted files: its working directory is an empty folder, where no relative path leads anywhere, and its
 * files are private to its user.
 */
export function dropPrivileges(dataDirectory: string): void {
  process.umask(0o077);
  const folder = path.join(dataDirectory, 'empty');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    process.chdir(folder);
  } catch {
    // The disk may be full. This folder is only a further line of defence.
  }
}

/** Variables that the runtime and native code may need. Any other variable could hold a key or a password. */
const allowedVariables =
  /^(?:PATH|HOME|USERPROFILE|SYSTEMROOT|WINDIR|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LC_.*|(?:DY)?LD_LIBRARY_PATH|NODE_(?:OPTIONS|EXTRA_CA_CERTS|V8_COVERAGE|COMPILE_CACHE)|UV_THREADPOOL_SIZE)$/i;

/** Variables of AWS. Where there is no static key, the SDK reads some of them whenever it renews credentials. */
export const awsVariables = /^AWS_/;

/**
 * Removes all variables that child processes, which inherit the environment, do not need. To be called after the settings are read.
 * @param kept others that this process needs later
 */
export function sanitizeEnvironment(environment: Record<string, string | undefined>, kept?: RegExp): void {
  for (const name of Object.keys(environment)) {
    if (!allowedVariables.test(name) && !kept?.test(name)) delete environment[name];
  }
}

/** The variables that a child process inherits: those of this process, without what it needs for its own access to a bucket. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- passed on, not read
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !awsVariables.test(name)));
}
