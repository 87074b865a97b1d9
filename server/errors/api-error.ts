import { type ErrorCode, type ErrorDetail, errors } from '../../contract/errors.ts';
import { maxGroups } from '../../contract/item-groups.ts';
import { maxNotifying, maxSavedSearches } from '../../contract/saved-searches.ts';
import { maxSources } from '../../contract/sources.ts';
import { maxOpenUploads } from '../../contract/uploads.ts';
import { maxWebhooks } from '../../contract/webhooks.ts';

/** An error response to the client. Any other error that is thrown becomes `internal_error` and shows no internals. */
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

export const alreadyExistsError = (what: string, name: string): ApiError =>
  new ApiError('already_exists', `There is a ${what} named ${name} already.`);

/** A `validation_error` about these parts of a request. */
export function validationError(details: ErrorDetail[]): ApiError {
  const [first] = details;
  return new ApiError('validation_error', `The request is not valid: ${first?.path} ${first?.message}.`, { details });
}

/** A `validation_error` about labels that the workspace does not have. */
export const unknownLabelsError = (fields: string[], place = 'body'): ApiError =>
  validationError(
    fields.map((field) => ({
      path: `${place}.${field}`,
      message: `names no ${field.replace('_id', '')} of this workspace`,
    })),
  );

const countLimits = {
  collections: maxGroups,
  tags: maxGroups,
  saved_searches: maxSavedSearches,
  saved_searches_that_notify: maxNotifying,
  open_uploads: maxOpenUploads,
  webhooks: maxWebhooks,
  sources: maxSources,
};

/** A refusal of one more than a workspace may have. */
export function countLimitError(kind: keyof typeof countLimits): ApiError {
  const most = countLimits[kind].toLocaleString('en');
  return new ApiError(
    'quota_exceeded',
    `A workspace can have ${most} ${kind.replaceAll('_', ' ')}, and this one has them.`,
    {
      details: [{ path: `quota.${kind}`, message: `${most} of ${most} used` }],
    },
  );
}
