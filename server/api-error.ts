import { type ErrorCode, type ErrorDetail, errors } from '../contract/errors.ts';

/** A refusal that the client is told about. Anything else that is thrown becomes `internal_error` and shows no internals. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    extras: { details?: ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.code = code;
    this.details = extras.details;
    this.headers = extras.headers ?? {};
  }

  get status(): number {
    return errors[this.code].status;
  }

  /** The body of the response. */
  toBody() {
    const { code, message, details } = this;
    return { success: false, error: { code, message, ...(details ? { details } : {}) } };
  }
}

export const notFoundError = (what: string): ApiError => new ApiError('not_found', `There is no such ${what}.`);
