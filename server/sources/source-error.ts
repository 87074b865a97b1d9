import { StorageError } from '../assets/s3/storage-error.ts';
import { ApiError } from '../errors/api-error.ts';
import { hasErrorCode } from '../errors/system-errors.ts';

/** Why a source, or a file of it, is not to be reached. `code` is stored and shown; `message` is a sentence for people. */
export class SourceError extends Error {
  override name = 'SourceError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What the system says when a disk, a share or a mount is away, and not the file in question. */
const awayCodes = new Set([
  'EIO',
  'ESTALE',
  'ENOTCONN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENXIO',
  'ENODEV',
  'ENOMEDIUM',
  'ECONNABORTED',
  'ECONNRESET',
  'EREMOTEIO',
]);

/** Whether an error says that a whole source is away. */
export const isAway = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && awayCodes.has(String(error.code));

const sentences: Record<string, string> = {
  ENOENT: 'Its folder is not there.',
  ENOTDIR: 'Its folder is not there.',
  EACCES: 'The service may not read its folder.',
  EPERM: 'The service may not read its folder.',
  ENOTCONN: 'What it is mounted from does not answer.',
  ESTALE: 'The network share was mounted again or is gone.',
  EIO: 'Its disk or share reports an error of reading.',
};

/** Why a source is away, in a sentence. */
export function describeProblem(error: unknown): { code: string; message: string } {
  if (error instanceof SourceError) return { code: error.code, message: error.message };
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const message = error instanceof Error ? error.message : String(error);
  return { code: code.toLowerCase(), message: sentences[code] ?? `It cannot be read: ${message}.` };
}

/**
 * Why a source cannot be read, from what the system said when it was read; errors that say nothing of a source stay as they are. Only a
 * `SourceError` means that a source is away: a database has connections that break off too.
 */
export function toReadError(error: unknown): unknown {
  if (error instanceof SourceError) return error;
  const isDenied =
    error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(String(error.code));
  if (!isAway(error) && !isDenied) return error;
  const { code, message } = describeProblem(error);
  return new SourceError(code, message, { cause: error });
}

/** The answer to a request for an original that is not to be reached. @param name of the source */
export const sourceOfflineError = (name: string, reason: string): ApiError =>
  new ApiError(
    'source_offline',
    `The source ${name} is offline: ${reason} The original is not to be reached until it is back.`,
  );

/** The answer where the file alone is gone. @param name of the source */
export const originalGoneError = (name: string, options?: ErrorOptions): ApiError =>
  Object.assign(
    new ApiError(
      'original_missing',
      `The original is no longer at its place in the source ${name}. The next scan looks for it.`,
    ),
    options,
  );

/** Whether a bucket refused a request, and did not fail. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof StorageError && /^(?:AccessDenied|InvalidObjectState|Forbidden|403|HTTP 403)$/.test(error.reason);

/** Whether an error, or its cause, says that a file or an object may not be read. */
export const isForbidden = (error: unknown): boolean =>
  hasErrorCode(error, 'EACCES') ||
  hasErrorCode(error, 'EPERM') ||
  isRefusal(error) ||
  (error instanceof Error && isForbidden(error.cause));

/** The answer where the file alone is not to be read. @param name of the source */
export const originalUnreadableError = (name: string, error: Error): ApiError =>
  Object.assign(
    new ApiError(
      'original_missing',
      isForbidden(error)
        ? `The service may not read the original in the source ${name}. Give it the right to read the file.`
        : `The disk or share of the source ${name} reports an error for the original: ${error.message}.`,
    ),
    { cause: error },
  );
