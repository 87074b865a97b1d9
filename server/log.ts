import { type Logger, pino } from 'pino';

/** Lines that could not be written yet are kept up to this, bytes; what comes beyond is dropped. */
const maxPendingBytes = 2 ** 20;

/** Standard error for log lines. A pipe that nobody reads any more, or a full disk, costs lines and never the process. */
export function openLogStream(): ReturnType<typeof pino.destination> {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: maxPendingBytes });
  stream.on('error', () => undefined);
  return stream;
}

/**
 * A log for what does not answer requests.
 * @param base what each line says besides its message; by default process and host
 */
export const createLog = (level: string, base?: Record<string, unknown>): Logger =>
  pino({ level, ...(base ? { base } : {}) }, openLogStream());

/** Keeps the process alive when its standard output or error is closed, or is a file on a full disk. */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
