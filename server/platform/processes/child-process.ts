import { ignoreOutputErrors } from '../log.ts';

/**
 * To be called first in every child process of the service. Ctrl-C and systemd send their signals to all processes: a child ignores them,
 * because the service needs it until requests have drained, and ends it afterwards. A child ends by itself when the service is gone: by
 * force, since an orderly exit would wait, sometimes forever, for decoders that are at work in other threads.
 */
export function initializeChildProcess(): void {
  ignoreOutputErrors();
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  if (!process.connected) process.exit(0);
}
