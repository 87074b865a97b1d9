type ErrorDescription = {
  status: number;
  /** An error message as a client may see it, for the reference. */
  example: string;
  details?: ErrorDetail[];
};

/** Every error code of the API with its HTTP status. */
export const errors = {
  validation_error: {
    status: 400,
    example: 'The request is not valid: query.page must be at least 1.',
    details: [{ path: 'query.page', message: 'must be at least 1' }],
  },
  malformed_body: { status: 400, example: 'The body is not valid JSON.' },
  missing_api_key: { status: 401, example: 'Send your API key in the header `Authorization: Bearer service_…`.' },
  invalid_api_key: { status: 401, example: 'This API key is unknown or was revoked.' },
  not_signed_in: { status: 401, example: 'Sign in first.' },
  invalid_credentials: { status: 401, example: 'E-mail address or password is wrong.' },
  forbidden: { status: 403, example: 'Only owners of the workspace can do this.' },
  quota_exceeded: {
    status: 403,
    example: 'The plan Starter allows 100 media items, and 100 are used.',
    details: [{ path: 'quota.media_items', message: '100 of 100 used' }],
  },
  not_found: { status: 404, example: 'There is no such media item.' },
  method_not_allowed: { status: 405, example: '/api/v1/media does not take PUT.' },
  request_timeout: { status: 408, example: 'The request did not arrive in time.' },
  already_exists: { status: 409, example: 'There is a creator named Ana Lima already.' },
  not_ready: { status: 409, example: 'Only an item in status `error` can be retried; this one is `complete`.' },
  offset_mismatch: {
    status: 409,
    example: 'This upload has 16777216 bytes; send what follows these. `Upload-Offset` must be 16777216.',
  },
  last_owner: { status: 409, example: 'The workspace needs an owner: make another member one first.' },
  idempotency_conflict: { status: 409, example: 'The first request with this Idempotency-Key is still under way.' },
  upload_discarded: { status: 410, example: 'This upload was discarded. What had arrived of it is gone.' },
  unsupported_tus_version: { status: 412, example: 'The header `Tus-Resumable` must be 1.0.0.' },
  payload_too_large: { status: 413, example: 'The body is larger than this endpoint takes.' },
  unsupported_media_type: {
    status: 415,
    example: 'The body must be multipart/form-data with a part named `file`.',
  },
  range_not_satisfiable: { status: 416, example: 'The file is shorter than this range.' },
  expectation_failed: { status: 417, example: 'The header `Expect` may only ask for `100-continue`.' },
  unreadable_media: { status: 422, example: 'This image cannot be decoded. It may be damaged or cut off.' },
  idempotency_key_reused: { status: 422, example: 'This Idempotency-Key was used with another request.' },
  throttled: { status: 429, example: 'Too many requests: try again in 12 seconds.' },
  headers_too_large: { status: 431, example: 'The URL and the headers may have at most 16 KiB together.' },
  checksum_mismatch: {
    status: 460,
    example:
      'These bytes were changed on their way: they do not have the checksum that was sent with them. None of them was kept. Send them again.',
  },
  internal_error: {
    status: 500,
    example: 'Something went wrong on our side. The request id names it in the log.',
  },
  original_missing: {
    status: 500,
    example: 'The original of this item is no longer on the server. Upload the same file again to put it back.',
  },
  original_damaged: {
    status: 500,
    example:
      'The original of this item is damaged: it is not as it was uploaded. Upload the same file again to replace it.',
  },
  source_offline: {
    status: 503,
    example: 'The source NAS is offline: its folder is not there. The original is not to be reached until it is back.',
  },
  unavailable: { status: 503, example: 'The service is busy. Try again in 2 seconds.' },
  insufficient_storage: {
    status: 507,
    example:
      'The disk of this service has no room left, and nothing was stored. Tell its operator, and try again later.',
  },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof errors;

/** One thing wrong with a request: where (`query.page`, `body.name`) and what. */
export type ErrorDetail = { path: string; message: string };
