import { ApiError } from '../typescript/index.ts';

/** Exit codes, those of GitHub's `gh` (https://cli.github.com/manual/gh_help_exit-codes). */
export const exitCodes = { ok: 0, failed: 1, cancelled: 2, notSignedIn: 4 } as const;

/** Ends a command with a sentence for people that says what to do. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The person answered no, or pressed Ctrl-C. */
export const cancelled = (message = 'Cancelled.'): CommandError => new CommandError(message, exitCodes.cancelled);

/** Some of many failed: each was named already, so there is no more to say. */
export class PartialFailure extends Error {
  override name = 'PartialFailure';
}

/** No service to ask, or no key for it. */
export const notSignedIn = (message: string): CommandError => new CommandError(message, exitCodes.notSignedIn);

/** What each failure of the service asks people to do, where its message does not say. */
function advise({ code, status, message }: ApiError, url: string | null): string {
  if (status === 401)
    return `${url ?? 'The service'} does not accept the API key. Run \`media-search login\`, or set MEDIA_SEARCH_KEY to another.`;
  if (code === 'offline')
    return `${url ?? 'The service'} cannot be reached. Check the address (\`media-search status\`) and that the service runs.`;
  return message;
}

/** Said of a file that is written to, or replaced, between its reading and its sending. */
export const changed = 'The file was changed while it was sent.';

/** In one sentence or two: what went wrong with one thing of many, or with all. */
export function describeFailure(failure: unknown, url: string | null = null): string {
  if (url !== null && isOddAnswer(failure)) return `The service at ${url} does not answer as Media Search does.`;
  if (failure instanceof ApiError) return advise(failure, url);
  if (isSystemError(failure)) return describeSystemError(failure);
  // What reading a file says when it is not as it was when it was opened.
  if (failure instanceof Error && failure.name === 'NotReadableError') return changed;
  return failure instanceof Error ? failure.message : String(failure);
}

/**
 * What is missing in an answer, or of another kind, is found where it is read; errors with a code are of Node. The page of a proxy is an answer that
 * nothing failed to bring, so it has no cause.
 */
export const isOddAnswer = (failure: unknown): boolean =>
  failure instanceof ApiError
    ? failure.code === 'offline' && failure.cause === undefined
    : (failure instanceof TypeError || failure instanceof RangeError) && !('code' in failure);

/** Whether what failed for one thing of many fails for the others too: no service, no key, no room, too many requests. */
export const endsAll = (failure: unknown): boolean =>
  failure instanceof ApiError &&
  ([0, 401, 429].includes(failure.status) || ['quota_exceeded', 'insufficient_storage'].includes(failure.code));

/** Failures of files, by the code of the system. */
const systemErrors: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read or written by you',
  EPERM: 'may not be changed by you',
  EISDIR: 'is a folder',
  ENOTDIR: 'is below something that is no folder',
  EEXIST: 'exists and is no folder',
  ENAMETOOLONG: 'has too long a name',
  ENOSPC: 'does not fit: the disk is full',
  EROFS: 'is on a disk that cannot be written to',
  ELOOP: 'is a link that may not be followed',
};

type SystemError = Error & { code: string; path?: string };

const isSystemError = (failure: unknown): failure is SystemError =>
  failure instanceof Error && 'code' in failure && typeof failure.code === 'string' && failure.code in systemErrors;

const describeSystemError = ({ code, path }: SystemError): string => `${path ?? 'A file'} ${systemErrors[code]}.`;

/** No other file finds room where this one did not. */
export const isDiskFull = (failure: unknown): boolean => isSystemError(failure) && failure.code === 'ENOSPC';

/** Whether this failure comes from a signal that was aborted. */
export const isAbort = (failure: unknown): boolean => failure instanceof Error && failure.name === 'AbortError';
