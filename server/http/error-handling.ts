import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';

/** Fastify's own refusals, in the words of the API. */
const translations: Record<string, () => ApiError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'The body must be JSON or, where a file is sent, multipart/form-data.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new ApiError('malformed_body', 'The body is not valid JSON.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new ApiError('malformed_body', 'The body is empty; it must be JSON.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large', 'A JSON body may hold at most 1 MiB.'),
};

/** Gives every failure the envelope, on every path. */
export function registerErrorHandling(app: FastifyInstance): void {
  app.setErrorHandler((thrown: Error & { code?: string; statusCode?: number }, request, reply) => {
    const error = toApiError(thrown);
    if (error.status >= 500) request.log.error({ err: thrown }, 'request failed');
    return reply.status(error.status).headers(error.headers).send(error.toBody());
  });
  app.setNotFoundHandler((request) => {
    throw new ApiError('not_found', `There is nothing at ${request.url.split('?')[0]}.`);
  });
}

function toApiError(thrown: Error & { code?: string; statusCode?: number }): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const translated = translations[thrown.code ?? ''];
  if (translated) return translated();
  const status = thrown.statusCode ?? 500;
  if (status === 416) return new ApiError('range_not_satisfiable', 'The file is shorter than this range.');
  if (status >= 400 && status < 500) return new ApiError('malformed_body', thrown.message);
  return new ApiError('internal_error', 'Something went wrong on our side. The request id names it in the log.');
}
