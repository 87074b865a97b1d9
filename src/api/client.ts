import { connection } from './connection.ts';
import type { Error as Failure } from './generated/api/index.ts';
import { readRetryAfter } from './throttle.ts';

type FailureDetails = NonNullable<Failure['error']['details']>;
export type ErrorCode = Failure['error']['code'] | 'offline';

/** A refusal or failure of the service. `code` is what to decide by; `message` is for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string | null;
  readonly details: FailureDetails;
  /** When the service may answer otherwise, in milliseconds of `Date.now`; null when it does not say. */
  readonly retryAt: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    about: {
      status: number;
      requestId: string | null;
      details?: FailureDetails | undefined;
      retryAfter?: number | null;
    },
  ) {
    super(message);
    this.code = code;
    this.status = about.status;
    this.requestId = about.requestId;
    this.details = about.details ?? [];
    const { retryAfter = null } = about;
    this.retryAt = retryAfter === null ? null : Date.now() + 1000 * retryAfter;
  }
}

/** The workspace's key, from the session. Kept in memory only: a script that reads storage does not find it. */
let apiKey: string | null = connection?.key ?? null;

export function setApiKey(key: string | null): void {
  // Another service's key does not come from the session.
  if (!connection) apiKey = key;
}

export const currentApiKey = (): string | null => apiKey;

export const authorization = (): Record<string, string> => (apiKey ? { Authorization: `Bearer ${apiKey}` } : {});

type FailureBody = { error?: Partial<Failure['error']> } | undefined;

/** Whether the service itself reports a failure; a proxy in between answers in its own words. */
export const isFailure = (body: unknown): boolean => (body as FailureBody)?.error?.code !== undefined;

/** The failure that a body reports, or the status when it reports none. */
export function toApiError(body: unknown, status: number, headers: Pick<Headers, 'get'>): ApiError {
  const { code, message, details } = (body as FailureBody)?.error ?? {};
  return new ApiError(code ?? 'unavailable', message ?? `The service answered with status ${status}.`, {
    status,
    requestId: headers.get('X-Request-Id'),
    details,
    retryAfter: readRetryAfter(headers.get('Retry-After')),
  });
}
