import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';

/** Bytes of lines that wait to be written; further lines are dropped. */
const maxPendingBytes = 2 ** 20;

/** Standard error for log lines. A closed pipe or a full disk loses lines, but never ends the process. */
export function openLogStream(): ReturnType<typeof pino.destination> {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: maxPendingBytes });
  stream.on('error', () => undefined);
  return stream;
}

/** The fields of each line: process, host, and the role of a process that has one. */
export const logBase = (role: string): Record<string, unknown> => ({
  pid: process.pid,
  hostname: hostname(),
  ...(role === 'all' ? {} : { role }),
});

/** A log for everything but requests. @param base fields of each line */
export const createLog = (level: string, base: Record<string, unknown>): Logger =>
  pino({ level, base }, openLogStream());

/** Keeps the process alive when its standard output or error is closed, or a file on a full disk. */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
