/** Every error code of the API with the HTTP status it travels under. */
export const errorStatus = {
  validation_error: 400,
  malformed_body: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  forbidden: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  already_exists: 409,
  not_ready: 409,
  idempotency_conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unreadable_media: 422,
  idempotency_key_reused: 422,
  throttled: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** One thing wrong with a request: where (`query.page`, `body.name`) and what. */
export type ErrorDetail = { path: string; message: string };
