import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/api-error.ts';
import { classifySystemError, type SystemFailure } from '../../errors/system-errors.ts';
import { BusyError } from '../../platform/fair-queue.ts';

const unavailable = (sentence: string, seconds: number) => (): ApiError =>
  new ApiError('unavailable', `${sentence} Try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

const noRoom = (): ApiError =>
  new ApiError(
    'insufficient_storage',
    'The disk of this service has no room left, and nothing was stored. Tell its operator, and try again later.',
  );
const diskFailed = unavailable(
  'The disk of this service cannot be read or written, and nothing was stored. Tell its operator.',
  60,
);
/** The process or the machine has temporarily run out of a resource. */
const noResources = unavailable('This service has no resources left for this request.', 5);

/** The responses to clients. Other failures are bugs and become `internal_error`. */
const refusals: Partial<Record<SystemFailure, () => ApiError>> = {
  disk_full: noRoom,
  file_too_large: noRoom,
  io: diskFailed,
  read_only: diskFailed,
  catalog_inaccessible: diskFailed,
  too_many_files: noResources,
  out_of_memory: noResources,
  catalog_locked: noResources,
  conflict: unavailable('Another request changed the same at this moment, and nothing was stored.', 1),
  database_away: unavailable('The database of this service cannot be reached.', 5),
  storage_away: unavailable('The storage of this service cannot be reached.', 5),
};

/** Whether disk, database or operating system failed, and not the request. */
export const isStorageFailure = (error: unknown): boolean => toStorageError(error) !== undefined;

/** The refusal for a failure of disk, database or operating system; undefined for any other error. */
export function toStorageError(error: unknown): ApiError | undefined {
  const failure = classifySystemError(error);
  return failure && refusals[failure]?.();
}

const busyError = (): ApiError =>
  new ApiError('unavailable', 'The service is busy. Try again in 2 seconds.', { headers: { 'Retry-After': '2' } });

/** Errors of Fastify and its plugins, mapped to those of the API. */
const fastifyErrors: Record<string, () => ApiError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'The body must be JSON or, where a file is sent, multipart/form-data.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new ApiError('malformed_body', 'The body is not valid JSON.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large', 'The body is larger than this endpoint takes.'),
  FST_ERR_HANDLER_TIMEOUT: () =>
    new ApiError('unavailable', 'The request took too long to arrive. Try again in 5 seconds.', {
      headers: { 'Retry-After': '5' },
    }),
};

/** Headers of a file that could not be read in the end. Of the error they would be wrong: caches would keep it in the file's place. */
const fileHeaders = [
  'accept-ranges',
  'content-disposition',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
];

/** Gives every failure the envelope, on every path. */
export function registerErrorHandling(app: FastifyInstance): void {
  app.setErrorHandler((thrown: Error & { code?: string; statusCode?: number }, request, reply) => {
    const error = logFailure(thrown, request);
    for (const name of fileHeaders) reply.removeHeader(name);
    void reply.header('Cache-Control', 'no-store');
    return reply.status(error.status).headers(error.headers).send(error.toBody());
  });
  app.setNotFoundHandler(rejectUnknownPath);
}

/** What a failure is to clients. What is none of theirs goes into the log. */
export function logFailure(thrown: Error & { code?: string; statusCode?: number }, request: FastifyRequest): ApiError {
  const storageFailure = toStorageError(thrown);
  const error = storageFailure ?? toApiError(thrown);
  if (storageFailure) request.log.error({ err: thrown }, 'disk or database failed');
  else if (error.code === 'internal_error') request.log.error({ err: thrown }, 'request failed');
  return error;
}

export function rejectUnknownPath(request: FastifyRequest): never {
  throw new ApiError('not_found', `There is nothing at ${request.url.split('?')[0]}.`);
}

/** Responds to URLs that cannot be decoded. No hook has run for them. */
export function handleInvalidUrl(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const error = new ApiError('malformed_body', 'The URL is not valid percent-encoding.');
  void reply.status(error.status).header('X-Request-Id', request.id).send(error.toBody());
}

function toApiError(thrown: Error & { code?: string; statusCode?: number }): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof BusyError) return busyError();
  const translated = fastifyErrors[thrown.code ?? ''];
  if (translated) return translated();
  const status = thrown.statusCode ?? 500;
  if (status === 416) return new ApiError('range_not_satisfiable', 'The file is shorter than this range.');
  if (status >= 400 && status < 500) return new ApiError('malformed_body', thrown.message);
  return new ApiError('internal_error', 'Something went wrong on our side. The request id names it in the log.');
}
