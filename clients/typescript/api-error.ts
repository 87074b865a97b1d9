import type { Error as FailureBody } from './generated/index.ts';

export type FailureDetails = NonNullable<FailureBody['error']['details']>;

/** The codes of the API, and `offline` for what never got an answer of the service. A service may have codes of its own. */
export type ErrorCode = FailureBody['error']['code'] | 'offline';

/** A refusal or failure of the service. `code` is what to decide by; `message` is for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** What the service calls the request in its log; null when it does not say. */
  readonly requestId: string | null;
  /** Which parts of the request are wrong. */
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
      /** Seconds. */
      retryAfter?: number | null;
      cause?: unknown;
    },
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = code;
    this.status = about.status;
    this.requestId = about.requestId;
    this.details = about.details ?? [];
    const { retryAfter = null } = about;
    this.retryAt = retryAfter === null ? null : Date.now() + 1000 * retryAfter;
  }
}

/** Whether a service said that it does not have what was asked for: an addition that only some services have. */
export const isNotSupported = (error: unknown): boolean =>
  error instanceof ApiError && [404, 405, 501].includes(error.status);

type PossibleFailure = { error?: Partial<FailureBody['error']> } | null | undefined;

/** Whether the service itself reports a failure; a proxy in between answers in its own words. */
export const isFailure = (body: unknown): boolean => (body as PossibleFailure)?.error?.code !== undefined;

/** The failure that a body reports, or the status when it reports none. */
export function toApiError(body: unknown, status: number, headers: Pick<Headers, 'get'>): ApiError {
  const { code, message, details } = (body as PossibleFailure)?.error ?? {};
  return new ApiError(code ?? 'unavailable', message ?? `The service answered with status ${status}.`, {
    status,
    requestId: headers.get('X-Request-Id'),
    details,
    retryAfter: readRetryAfter(headers.get('Retry-After')),
  });
}

/** The failure of a request that got no answer of the service. */
export const unreachable = (cause?: unknown): ApiError =>
  new ApiError('offline', 'The service cannot be reached.', { status: 0, requestId: null, cause });

/** Seconds that a response asks to wait (RFC 9110, 10.2.3: seconds or a date); null when it does not say. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}
