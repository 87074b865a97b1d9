import { ignoreOutputErrors } from '../log.ts';

/**
 * What every child process of the service does first. Ctrl-C and systemd send their signals to all processes: the child leaves them
 * to the service, which still needs it to drain and ends it afterwards. When the service is gone, however it ended, the child ends.
 */
export function initializeChildProcess(): void {
  ignoreOutputErrors();
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
}
